package client_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client"
)

func TestCallWithoutAnOperation(t *testing.T) {
	var uris, bodies, keys []string
	c := serve(t, api(client.Scheme{Name: "bearer", Kind: client.Bearer}), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		uris, bodies, keys = append(uris, r.Method+" "+r.RequestURI), append(bodies, string(body)), append(keys, r.Header.Get("Idempotency-Key"))
		switch {
		case r.Header.Get("Authorization") != "Bearer tok":
			answer(w, http.StatusUnauthorized, "application/json", "{}")
		case len(uris) == 1:
			answer(w, http.StatusBadGateway, "text/plain", "")
		default:
			answer(w, http.StatusOK, "application/json", `{"id":"o1"}`)
		}
	}, client.WithSecret("bearer", "tok"))
	keyed := []client.Option{client.WithIdempotencyKey("k1")}
	for _, tt := range []struct {
		name, method, path string
		body, result       any
		opts               []client.Option
		uri, sent          string
		requests           int
	}{
		{"a GET is retried", "GET", "/preview/{x}?a=1", nil, new(order), nil, "GET /v1/preview/%7Bx%7D?a=1", "", 2},
		{"a POST is not", "POST", "/preview", map[string]int{"a": 1}, nil, nil, "POST /v1/preview", `{"a":1}`, 1},
		{"a POST with a key is", "POST", "/preview", map[string]int{"a": 1}, new(order), keyed, "POST /v1/preview", `{"a":1}`, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			uris, bodies, keys = nil, nil, nil
			err := c.Call(t.Context(), tt.method, tt.path, tt.body, tt.result, tt.opts)
			if (err == nil) != (tt.requests == 2) || len(uris) != tt.requests || uris[0] != tt.uri || bodies[0] != tt.sent {
				t.Errorf("%v after %q with %q", err, uris, bodies)
			}
			if got, ok := tt.result.(*order); ok && got.ID != "o1" {
				t.Errorf("result %+v", got)
			}
			if (keys[0] != "") != (tt.opts != nil) || keys[0] != keys[len(keys)-1] {
				t.Errorf("keys %q", keys)
			}
		})
	}
	var bad *client.PathError
	if err := c.Call(t.Context(), "GET", "@elsewhere.example/", nil, nil, nil); !errors.As(err, &bad) {
		t.Errorf("a path that leads away: %v", err)
	}
}
