package main

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// script answers 503 to the first fails requests and 200 to the rest, or stalls the first until its caller gives it up,
// and keeps what it saw.
type script struct {
	fails int
	stall bool
	gave  time.Duration // how long the first attempt was waited for
	seen  []seen
}

type seen struct {
	method, key, kind string
	body              []byte
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	at := seen{method: req.Method, key: req.Header.Get(keyHeader), kind: req.Header.Get("Content-Type")}

	if req.Body != nil {
		at.body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}

	s.seen = append(s.seen, at)

	if s.stall && len(s.seen) == 1 {
		start := time.Now()
		<-req.Context().Done()
		s.gave = time.Since(start)

		return nil, req.Context().Err()
	}

	status := http.StatusOK
	if len(s.seen) <= s.fails {
		status = http.StatusServiceUnavailable
	}

	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(answer))), ContentLength: int64(len(answer)),
	}, nil
}

// TestContendersDoWhatTheySay keeps the comparison fair: the same bytes leave each client, and the limits, the key and
// the retries that a row claims are there.
func TestContendersDoWhatTheySay(t *testing.T) {
	for _, c := range contenders() {
		for _, body := range [][]byte{nil, payload()} {
			t.Run(c.name+"/"+methodOf(body), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					network := &script{}
					if c.does.retries {
						network.fails = 1
					}

					if err := c.make(network, "http://stub.test/orders")(body); err != nil {
						t.Fatal(err)
					}

					if len(network.seen) != 1+network.fails {
						t.Fatalf("the network saw %d attempts, want %d", len(network.seen), 1+network.fails)
					}

					for _, got := range network.seen {
						c.does.verify(t, got, body, network.seen[0].key)
					}
				})
			})
		}
	}
}

func (d does) verify(t *testing.T, got seen, body []byte, key string) {
	t.Helper()

	if got.method != methodOf(body) || !bytes.Equal(got.body, body) {
		t.Errorf("%s with %d bytes left the client, want %s with %d", got.method, len(got.body), methodOf(body), len(body))
	}

	if body != nil && got.kind != "application/json" {
		t.Errorf("content type %q", got.kind)
	}

	if wants := d.key && body != nil; wants != (got.key != "") || got.key != key {
		t.Errorf("key %q, the first attempt's was %q, wanted one: %v", got.key, key, wants)
	}
}

// TestContendersGiveUp measures the limits on a network that never answers, in virtual time.
func TestContendersGiveUp(t *testing.T) {
	for _, c := range contenders() {
		if !c.does.attempt {
			continue
		}

		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &script{stall: true}
				_ = c.make(network, "http://stub.test/orders")(payload()) // some retry what timed out, some do not

				if network.gave != attemptTimeout {
					t.Errorf("the first attempt was given up after %s, want %s", network.gave, attemptTimeout)
				}
			})
		})
	}
}

func BenchmarkStub(b *testing.B) {
	for _, c := range contenders() {
		for _, body := range [][]byte{nil, payload()} {
			b.Run(c.name+"/"+methodOf(body), func(b *testing.B) {
				run := c.make(stub{}, "http://stub.test/orders")
				b.ReportAllocs()

				for b.Loop() {
					if err := run(body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
