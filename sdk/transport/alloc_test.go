package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

type stub struct{}

func (stub) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}

	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(nil)), Request: req}, nil
}

// TestSuccessCostsFewAllocations holds a call that succeeds, with the deadline,
// the attempt timeout and a key of its own, below what two context.WithTimeout
// add to net/http: 11 allocations. bench/ compares it with other clients.
func TestSuccessCostsFewAllocations(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counts allocate")
	}

	content := make([]byte, 1024)
	allocs := func(rt http.RoundTripper, method string) float64 {
		client := &http.Client{Transport: rt}

		return testing.AllocsPerRun(200, func() {
			var body io.Reader
			if method == http.MethodPost {
				body = bytes.NewReader(content)
			}

			req, _ := http.NewRequest(method, "http://api.test/a", body)
			req.Header.Set("Content-Type", "application/json")

			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}

			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		})
	}

	for method, most := range map[string]float64{http.MethodGet: 5, http.MethodPost: 9} {
		bare := allocs(stub{}, method)
		ours := allocs(transport.New(stub{}, transport.WithKeyedMethods(http.MethodPost)), method)
		t.Logf("%s: net/http %.0f, with this transport %.0f", method, bare, ours)

		if ours-bare > most {
			t.Errorf("%s: %.0f allocations more than net/http, at most %.0f allowed", method, ours-bare, most)
		}
	}
}
