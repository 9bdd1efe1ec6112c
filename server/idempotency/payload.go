package idempotency

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// payload is a request as a completer needs it to run the handler again. Of the headers only those that describe the
// body and the answer are kept: no credential reaches the store, and the caller's name is in the scope.
type payload struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Host    string      `json:"host,omitempty"`
	Pattern string      `json:"pattern,omitempty"`
	Header  http.Header `json:"header,omitempty"`
	Body    []byte      `json:"body,omitempty"`
}

var payloadHeaders = []string{"Accept", "Accept-Language", "Content-Encoding", "Content-Language", contentType, "Prefer"}

func encodePayload(r *http.Request, body []byte) []byte {
	header := make(http.Header, len(payloadHeaders))
	for _, name := range payloadHeaders {
		if values, ok := r.Header[name]; ok {
			header[name] = values
		}
	}
	text, err := json.Marshal(payload{Method: r.Method, URL: r.URL.RequestURI(), Host: r.Host, Pattern: r.Pattern, Header: header, Body: body})
	if err != nil {
		return nil // strings and bytes cannot fail
	}
	return text
}

func decodePayload(text []byte) (*http.Request, []byte, error) {
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, nil, fmt.Errorf("idempotency: kept request: %w", err)
	}
	target, err := url.ParseRequestURI(p.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("idempotency: kept request: %w", err)
	}
	return &http.Request{
		Method: p.Method, URL: target, RequestURI: p.URL, Host: p.Host, Pattern: p.Pattern, Header: p.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(p.Body)), Body: io.NopCloser(bytes.NewReader(p.Body)),
	}, p.Body, nil
}
