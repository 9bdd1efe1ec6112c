package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

type order struct {
	ID    string `json:"id"`
	Total int64  `json:"total"`
}

type problem struct {
	Title string `json:"title"`
	Code  string `json:"code"`
}

func (p *problem) Error() string { return client.Describe("problem", p) }

func newProblem() error { return new(problem) }

var (
	opGet    = client.Operation{Call: transport.Operation{ID: "getOrder", Method: "GET", Path: "/orders/{id}"}}
	opCreate = client.Operation{
		Call: transport.Operation{
			ID: "createOrder", Method: "POST", Path: "/orders",
			Key: &transport.KeyRule{Header: "Idempotency-Key", MaxLength: 64},
		},
		Body: client.Body{Type: "application/json"},
	}
	opDelete = client.Operation{Call: transport.Operation{ID: "deleteOrder", Method: "DELETE", Path: "/orders/{id}"}}
)

func api(schemes ...client.Scheme) *client.API {
	a := &client.API{
		Name: "shop", Product: "shop-go/1.2.3", EnvPrefix: "SHOP",
		Errors: []client.ErrorCase{{Status: "default", New: newProblem}},
	}
	for _, s := range schemes {
		a.Schemes = append(a.Schemes, s)
		a.Security = append(a.Security, client.Requirement{s.Name})
	}
	return a
}

// serve starts a server and a client of it that reads no environment and retries without waiting long.
func serve(t *testing.T, a *client.API, h http.HandlerFunc, opts ...client.Option) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	opts = append([]client.Option{client.WithBaseURL(server.URL + "/v1/"), client.WithEnv(nil), client.WithLogger(nil)}, opts...)
	c, err := client.New(a, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func answer(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestGetDecodes(t *testing.T) {
	c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != "/v1/orders/a%2Fb" {
			t.Errorf("path %s", r.URL.EscapedPath())
		}
		if got := r.Header.Get("User-Agent"); !strings.HasPrefix(got, "acme/2 shop-go/1.2.3 retrysafe/") {
			t.Errorf("user agent %q", got)
		}
		if r.Header.Get("X-Team") != "blue" || r.URL.Query().Get("trace") != "1" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("headers %v query %s", r.Header, r.URL.RawQuery)
		}
		answer(w, 200, "application/json; charset=utf-8", `{"id":"o1","total":9007199254740993}`)
	}, client.WithUserAgent("acme/2"), client.WithHeader("X-Team", "blue"), client.WithQuery("trace", "1"))
	var info client.ResponseInfo
	got, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a/b"}}, []client.Option{client.WithResponse(&info)})
	if err != nil {
		t.Fatal(err)
	}
	if *got != (order{"o1", 9007199254740993}) {
		t.Errorf("got %+v", got)
	}
	if info.StatusCode != 200 || info.Attempts != 1 || len(info.Body) == 0 {
		t.Errorf("info %+v", info)
	}
}

func TestPathCannotLeave(t *testing.T) {
	c := serve(t, api(), func(http.ResponseWriter, *http.Request) { t.Error("sent") })
	for _, id := range []string{"", ".", ".."} {
		_, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{id}}, nil)
		var p *wire.ParamError
		if !errors.As(err, &p) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestSameKeyAndBytesOverAttempts(t *testing.T) {
	var keys, bodies []string
	c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		keys, bodies = append(keys, r.Header.Get("Idempotency-Key")), append(bodies, string(body))
		if len(keys) < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(w, 201, "application/json", `{"id":"o1"}`)
	})
	var info client.ResponseInfo
	in := client.Input{Body: &order{ID: "x", Total: 3}, Event: client.Event{"order-confirm-", "ref-7"}}
	if _, err := client.Do[*order](t.Context(), c, &opCreate, in, []client.Option{client.WithResponse(&info)}); err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		if keys[i] != "order-confirm-ref-7" || bodies[i] != `{"id":"x","total":3}` {
			t.Errorf("attempt %d: key %q body %q", i+1, keys[i], bodies[i])
		}
	}
	if info.Attempts != 3 || info.IdempotencyKey != "order-confirm-ref-7" {
		t.Errorf("info %+v", info)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		status                  int
		code, message           string
		declared                bool
	}{
		{"problem", "application/problem+json", `{"title":"Out of stock","code":"out_of_stock"}`, 409, "out_of_stock", "Out of stock", true},
		{"nested", "application/json", `{"error":{"code":"bad","message":"No  such\n thing"}}`, 404, "bad", "No such thing", true},
		{"type", "application/problem+json", `{"type":"https://e.example/errors/limit","title":"Slow down"}`, 400, "limit", "Slow down", true},
		{"oauth", "application/json", `{"error":"invalid_scope","error_description":"Ask less"}`, 400, "invalid_scope", "Ask less", true},
		{"list", "application/json", `[{"code":7,"message":"x"}]`, 400, "7", "x", false},
		{"html", "text/html", `<h1>proxy</h1>`, 403, "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Request-Id", "req_1")
				answer(w, tt.status, tt.contentType, tt.body)
			})
			_, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a"}}, nil)
			var e *client.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			if e.StatusCode != tt.status || e.Code != tt.code || e.Message != tt.message || e.RequestID != "req_1" || string(e.Body) != tt.body {
				t.Errorf("got %+v", e)
			}
			var p *problem
			if errors.As(err, &p) != tt.declared {
				t.Errorf("declared error reached: %v", !tt.declared)
			}
			var te *transport.Error
			if !errors.As(err, &te) || te.Attempts != 1 {
				t.Errorf("transport error %v", te)
			}
			if strings.Contains(err.Error(), "<h1>") {
				t.Errorf("body in %q", err)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	c := serve(t, api(client.Scheme{Name: "k", Kind: client.APIKey, In: "query", Param: "key"}), func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}, client.WithSecret("k", "s3cret"), client.WithMaxAttempts(2))
	_, err := client.Do[*order](t.Context(), c, &opCreate, client.Input{Body: &order{}}, nil)
	var e *client.Error
	if !errors.As(err, &e) || e.StatusCode != 0 || e.Attempts != 2 || e.IdempotencyKey == "" {
		t.Fatalf("%+v", e)
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("credential in %q", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if err := c.Exec(ctx, &opDelete, client.Input{Path: []any{"a"}}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestAnswersThatAreNotWhatTheyShouldBe(t *testing.T) {
	tests := []struct{ name, contentType, body, want string }{
		{"html", "text/html", "<p>hello</p>", "the answer is text/html, not application/json"},
		{"empty", "application/json", "", "no body"},
		{"broken", "application/json", `{"id":`, "cannot be decoded"},
		{"wrong type", "application/json", `{"id":7}`, "id: want string"},
		{"charset", "application/json; charset=koi8-r", `{}`, "charset is koi8-r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, tt.contentType, tt.body) })
			_, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a"}}, nil)
			var e *client.Error
			var d *client.DecodeError
			if !errors.As(err, &e) || !errors.As(err, &d) || e.StatusCode != 200 || string(e.Body) != tt.body {
				t.Fatalf("%#v", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want %q in it", err, tt.want)
			}
		})
	}
}

func TestAnswersThatAreReadAllTheSame(t *testing.T) {
	tests := []struct{ name, contentType, body string }{
		{"suffix", "application/vnd.shop+json", `{"id":"é"}`},
		{"no type said", "text/plain", `{"id":"é"}`},
		{"latin", "application/json; charset=ISO-8859-1", "{\"id\":\"\xe9\"}"},
		{"utf-16", "application/json; charset=utf-16", "\xfe\xff\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}"},
		{"byte order mark", "application/json", "\xef\xbb\xbf{\"id\":\"é\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, tt.contentType, tt.body) })
			got, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a"}}, nil)
			if err != nil || got.ID != "é" {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestSeveralAnswers(t *testing.T) {
	op := opGet
	op.Accept = "application/json, text/plain"
	op.Answers = []client.Answer{
		{Status: "200", Type: "application/json"},
		{Status: "202", Type: "text/plain", Kind: client.Text},
		{Status: "204", Kind: client.None},
	}
	status := 200
	c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) {
		switch status {
		case 200:
			answer(w, 200, "application/json", `{"id":"o1"}`)
		case 202:
			answer(w, 202, "text/plain", "later")
		default:
			w.WriteHeader(status)
		}
	})
	for _, want := range []struct {
		status int
		order  bool
		text   string
	}{{200, true, ""}, {202, false, "later"}, {204, false, ""}} {
		status = want.status
		var o *order
		var text *string
		if err := c.Into(t.Context(), &op, client.Input{Path: []any{"a"}}, nil, &o, &text, nil); err != nil {
			t.Fatal(err)
		}
		if (o != nil) != want.order || (text != nil) != (want.text != "") || text != nil && *text != want.text {
			t.Errorf("%d: %v %v", status, o, text)
		}
	}
}

func TestDryRun(t *testing.T) {
	c := serve(t, api(client.Scheme{Name: "b", Kind: client.Bearer}), func(http.ResponseWriter, *http.Request) { t.Error("sent") },
		client.WithSecret("b", "tok"))
	var req *http.Request
	_, err := client.Do[*order](t.Context(), c, &opCreate, client.Input{Body: &order{ID: "a"}}, []client.Option{client.WithDryRun(&req)})
	if !errors.Is(err, client.ErrDryRun) {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(req.Body)
	if req.Method != "POST" || req.URL.Path != "/v1/orders" || string(body) != `{"id":"a","total":0}` || req.Header.Get("Authorization") != "Bearer tok" {
		t.Errorf("%v %s %s", req.Header, req.URL, body)
	}
}

func TestKeyInBodyAndQuery(t *testing.T) {
	type create struct {
		Key   *string `json:"idempotency_key,omitempty"`
		Total int     `json:"total"`
	}
	op := opCreate
	op.Call.Key = &transport.KeyRule{MaxLength: 64}
	tries := 0
	var keys []string
	c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		var got create
		_ = json.NewDecoder(r.Body).Decode(&got)
		keys = append(keys, *got.Key)
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(w, 200, "application/json", `{}`)
	})
	body := create{Total: 1}
	var info client.ResponseInfo
	if _, err := client.Do[*order](t.Context(), c, &op, client.Input{Body: &body, Key: &body.Key}, []client.Option{client.WithResponse(&info)}); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" || info.IdempotencyKey != keys[0] {
		t.Errorf("keys %q, info %q", keys, info.IdempotencyKey)
	}
	given := "mine"
	body = create{Key: &given}
	if _, err := client.Do[*order](t.Context(), c, &op, client.Input{Body: &body, Key: &body.Key}, nil); err != nil || keys[2] != "mine" {
		t.Errorf("keys %q, %v", keys, err)
	}

	op.KeyQuery, op.Body = "request_id", client.Body{}
	c = serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, "application/json", `{"id":"`+r.URL.Query().Get("request_id")+`"}`)
	})
	got, err := client.Do[*order](t.Context(), c, &op, client.Input{}, []client.Option{client.WithIdempotencyKey("k-1")})
	if err != nil || got.ID != "k-1" {
		t.Errorf("%v %v", got, err)
	}
}

func TestMiddleware(t *testing.T) {
	tries := 0
	c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(w, 200, "application/json", `{}`)
	})
	var calls, attempts int
	count := func(n *int) client.Middleware {
		return func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				*n++
				return next.RoundTrip(req)
			})
		}
	}
	_, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a"}},
		[]client.Option{client.WithMiddleware(count(&calls)), client.WithAttemptMiddleware(count(&attempts))})
	if err != nil || calls != 1 || attempts != 2 {
		t.Errorf("calls %d attempts %d, %v", calls, attempts, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestTheClosestOfSeveralContentTypes(t *testing.T) {
	op := opGet
	op.Answers = []client.Answer{
		{Status: "200", Type: "application/json; charset=utf-8"},
		{Status: "200", Type: "application/vnd.acme.v2+json"},
	}
	for contentType, second := range map[string]bool{
		"application/json": false, "application/json;charset=UTF-8": false, "application/vnd.acme.v2+json; charset=utf-8": true,
	} {
		c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, contentType, `{"id":"a"}`) })
		var one, two *order
		if err := c.Into(t.Context(), &op, client.Input{Path: []any{"a"}}, nil, &one, &two); err != nil || (two != nil) != second || (one != nil) == second {
			t.Errorf("%s: %v %v %v", contentType, one, two, err)
		}
	}
}

func TestAnswerWithoutABody(t *testing.T) {
	for _, status := range []int{200, 202, 204} {
		c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		var info client.ResponseInfo
		if err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, []client.Option{client.WithResponse(&info)}); err != nil || info.StatusCode != status {
			t.Errorf("%d: %+v %v", status, info, err)
		}
	}
	c := serve(t, api(), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if got, err := client.Do[*order](t.Context(), c, &opGet, client.Input{Path: []any{"a"}}, nil); got != nil || err != nil {
		t.Errorf("%v %v", got, err)
	}
}
