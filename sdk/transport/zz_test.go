package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

type stub struct{ body []byte }

func (s stub) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.body)), Request: req}, nil
}

func bench(b *testing.B, rt http.RoundTripper, post bool) {
	c := &http.Client{Transport: rt}
	payload := make([]byte, 1024)
	b.ReportAllocs()
	for b.Loop() {
		var req *http.Request
		if post {
			req, _ = http.NewRequest("POST", "http://x.test/a", bytes.NewReader(payload))
			req.Header.Set("Content-Type", "application/json")
		} else {
			req, _ = http.NewRequest("GET", "http://x.test/a", nil)
		}
		resp, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
func BenchmarkBareGet(b *testing.B)  { bench(b, stub{}, false) }
func BenchmarkOursGet(b *testing.B)  { bench(b, transport.New(stub{}), false) }
func BenchmarkBarePost(b *testing.B) { bench(b, stub{}, true) }
func BenchmarkOursPost(b *testing.B) {
	bench(b, transport.New(stub{}, transport.WithKeyedMethods("POST")), true)
}
