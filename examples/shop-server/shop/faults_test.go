package shop_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func start(t *testing.T, opts shop.Options) *shop.Listener {
	t.Helper()
	listener, err := shop.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// client keeps no connections, so that each request is sent by net/http one time at most.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// send makes one request without idempotency key.
func send(t *testing.T, c *http.Client, method, url, body string, header ...string) (*http.Response, []byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer test")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, content, err
}

func orderBody(ref string) string {
	return fmt.Sprintf(`{"order_ref":%q,"customer_id":"cus_1","currency":"EUR","lines":[{"sku":"lamp-1","quantity":2}]}`, ref)
}

func TestFaults(t *testing.T) {
	s := start(t, shop.Options{Stall: 50 * time.Millisecond})
	c := client(t)
	tests := []struct {
		fault   shop.Fault
		status  int   // 0: no answer
		err     error // what the client sees
		header  string
		effects int64
	}{
		{fault: shop.None, status: 201, effects: 1},
		{fault: shop.ResetBefore, err: syscall.ECONNRESET},
		{fault: shop.ResetAfter, err: syscall.ECONNRESET, effects: 1},
		{fault: shop.DropAfter, err: io.EOF, effects: 1},
		{fault: shop.CutAfter, status: 201, err: io.ErrUnexpectedEOF, effects: 1},
		{fault: shop.StallBefore, err: io.EOF},
		{fault: shop.StallAfter, err: io.EOF, effects: 1},
		{fault: shop.Unavailable, status: 503},
		{fault: shop.UnavailableFor, status: 503, header: "Retry-After"},
		{fault: shop.GatewayAfter, status: 504, effects: 1},
		{fault: shop.TooMany, status: 429, header: "Retry-After-Ms"},
		{fault: shop.GoAway, status: 201, effects: 1},
		{fault: "no-such-fault", status: 400},
	}
	for _, test := range tests {
		t.Run(string(test.fault), func(t *testing.T) {
			ref := "ref-" + string(test.fault)
			response, _, err := send(t, c, http.MethodPost, s.URL+"/orders", orderBody(ref), shop.FaultHeader, string(test.fault))
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			status := 0
			if response != nil {
				status = response.StatusCode
				if test.header != "" && response.Header.Get(test.header) == "" {
					t.Errorf("no %s in %v", test.header, response.Header)
				}
			} else if test.status != 0 {
				t.Fatalf("no answer: %v", err)
			}
			if err == nil && status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			if got := s.Effects().Orders[ref]; got != test.effects {
				t.Errorf("%d effects, want %d", got, test.effects)
			}
		})
	}
}

func TestFaultsArriveInTurn(t *testing.T) {
	s := start(t, shop.Options{})
	c := client(t)
	for i, want := range []int{429, 503, 201, 201} {
		response, body, err := send(t, c, http.MethodPost, s.URL+"/orders", orderBody("turn"), shop.FaultHeader, "429, 503")
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != want {
			t.Errorf("arrival %d: %d %s, want %d", i, response.StatusCode, body, want)
		}
	}
}

func TestSeededFaultsDependOnNameAndArrivalOnly(t *testing.T) {
	first, second := shop.Seeded(7, shop.DefaultMix(), 2), shop.Seeded(7, shop.DefaultMix(), 2)
	other := shop.Seeded(8, shop.DefaultMix(), 2)
	spoiled, different := 0, 0
	for i := 1000; i > 0; i-- {
		name := fmt.Sprint("order-", i)
		if first(name, 1) != second(name, 1) {
			t.Fatalf("%s: two draws of one seed differ", name)
		}
		second(name, 0)
		if first(name, 0) != shop.None {
			spoiled++
		}
		if first(name, 0) != other(name, 0) {
			different++
		}
		if got := first(name, 2); got != shop.None {
			t.Fatalf("%s: %q beyond the limit", name, got)
		}
	}
	if spoiled < 250 || spoiled > 350 {
		t.Errorf("%d of 1000 spoiled, want about 300", spoiled)
	}
	if different == 0 {
		t.Error("another seed gives the same faults")
	}
}

// GOAWAY ends the connection after the answer: the next request comes over a new one.
func TestGoAwayOnHTTP2(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	s, err := shop.StartTLS(shop.Options{}, &tls.Config{Certificates: certificate.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := certificate.Client()
	c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	for i, fault := range []string{"goaway", "", "reset-before"} {
		response, _, err := send(t, c, http.MethodPost, s.URL+"/orders", orderBody("h2"), shop.FaultHeader, fault, shop.IntentHeader, fmt.Sprint(i))
		if fault == "reset-before" {
			if err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
				t.Errorf("%s: %v", fault, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if response.ProtoMajor != 2 || response.StatusCode != 201 {
			t.Errorf("%s: %s %s", fault, response.Proto, response.Status)
		}
	}
	if got := s.Effects().Orders["h2"]; got != 2 {
		t.Errorf("%d orders, want 2", got)
	}
}
