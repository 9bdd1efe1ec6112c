package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// recorder keeps the last request before it answers.
type recorder struct {
	req  *http.Request
	body []byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.req, r.body = req, nil

	if req.Body != nil {
		r.body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(r.body))
	}

	return orderStub{}.RoundTrip(req)
}

// TestGeneratedAndByHandAreTheSameCall keeps that comparison fair: same request on the wire, same answer read.
func TestGeneratedAndByHandAreTheSameCall(t *testing.T) {
	for _, call := range typedCalls() {
		t.Run(call.name, func(t *testing.T) {
			var byHand, generated recorder

			plain, err := call.byHand(&byHand, true)()
			if err != nil {
				t.Fatal(err)
			}

			order, err := call.generated(&generated)()
			if err != nil {
				t.Fatal(err)
			}

			if a, b := byHand.req, generated.req; a.Method != b.Method || a.URL.String() != b.URL.String() {
				t.Errorf("%s %s by hand, %s %s generated", a.Method, a.URL, b.Method, b.URL)
			}

			if a, b := names(byHand.req.Header), names(generated.req.Header); !slices.Equal(a, b) {
				t.Errorf("headers %v by hand, %v generated", a, b)
			}

			if (byHand.body == nil) != (generated.body == nil) {
				t.Fatalf("bodies %q and %q", byHand.body, generated.body)
			}

			if byHand.body != nil {
				if err := alike(byHand.body, generated.body); err != nil {
					t.Error("request:", err)
				}
			}

			left, err := json.Marshal(plain)
			if err != nil {
				t.Fatal(err)
			}

			right, err := json.Marshal(order)
			if err != nil {
				t.Fatal(err)
			}

			if err := alike(left, right); err != nil {
				t.Error("answer:", err)
			}
		})
	}
}

var errUnlike = errors.New("the two ways differ")

// alike compares two JSON values by what they say.
func alike(a, b []byte) error {
	var left, right any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal(b, &right)); err != nil {
		return err
	}

	if fmt.Sprint(left) != fmt.Sprint(right) { // maps print in the order of their keys
		return fmt.Errorf("%w:\n%s\n%s", errUnlike, a, b)
	}

	return nil
}

func names(header http.Header) []string { return slices.Sorted(maps.Keys(header)) }

func BenchmarkTyped(b *testing.B) {
	for _, call := range typedCalls() {
		for name, run := range map[string]func() (any, error){
			"by hand": call.byHand(orderStub{}, true), "generated": call.generated(orderStub{}),
		} {
			b.Run(call.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()

				for b.Loop() {
					if _, err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
