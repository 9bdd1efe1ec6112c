// Package contract holds what goes over the wire against openapi.yaml, for tests.
package contract

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// Checker wraps a handler and remembers which operations were seen.
type Checker struct {
	next     http.Handler
	document validator.Validator
	t        testing.TB
	declared map[string]string // METHOD /path/template: operationId

	mu   sync.Mutex
	seen map[string]bool
}

// New reads openapi.yaml and returns a handler that reports each request and each answer that the document does not
// allow as a failure of t. Streams that do not end by themselves must go around it.
func New(tb testing.TB, next http.Handler) *Checker {
	tb.Helper()
	text, err := os.ReadFile(find(tb, "openapi.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	// The shop listens on loopback, so the servers of the document do not hold here.
	head, rest, _ := strings.Cut(string(text), "\nservers:\n")
	_, rest, _ = strings.Cut(rest, "\nsecurity:\n")
	document, err := libopenapi.NewDocument([]byte(head + "\nsecurity:\n" + rest))
	if err != nil {
		tb.Fatal(err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		tb.Fatal(err)
	}
	checks, errs := validator.NewValidator(document)
	for _, err := range errs {
		tb.Fatal(err)
	}
	c := &Checker{next: next, document: checks, t: tb, seen: map[string]bool{}, declared: map[string]string{}}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method, operation := range item.GetOperations().FromOldest() {
			c.declared[strings.ToUpper(method)+" "+path] = operation.OperationId
		}
	}
	if ok, errs := c.document.ValidateDocument(); !ok {
		for _, e := range errs {
			tb.Error(e)
		}
	}
	return c
}

// find walks up to the file called name.
func find(tb testing.TB, name string) string {
	tb.Helper()
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			tb.Fatalf("no %s in a folder above", name)
		}
		folder = parent
	}
}

// ServeHTTP serves and checks.
func (c *Checker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	asked := r.Clone(r.Context())
	asked.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
	asked.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, "/v1")
	asked.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	c.next.ServeHTTP(answer, r)

	c.mark(asked)
	// A request that the server refuses may be wrong on purpose; its answer must be right all the same.
	if answer.Code < 400 {
		if ok, errs := c.document.ValidateHttpRequest(asked); !ok {
			for _, e := range errs {
				if strings.Contains(e.Message, "contains reserved values") {
					continue // the validator looks at the decoded value; on the wire it is percent-encoded
				}
				c.t.Errorf("request %s %s: %s: %s %v\n%s", r.Method, r.URL, e.Message, e.Reason, e.SchemaValidationErrors, body)
			}
		}
	}
	asked.Body = io.NopCloser(bytes.NewReader(body))
	result := answer.Result()
	lines := strings.HasPrefix(answer.Header().Get("Content-Type"), "application/x-ndjson") // which the validator cannot read
	if ok, errs := c.document.ValidateHttpResponse(asked, result); !ok && !lines {
		for _, e := range errs {
			c.t.Errorf("answer to %s %s: %d: %s: %s %v\n%s", r.Method, r.URL, answer.Code, e.Message, e.Reason, e.SchemaValidationErrors, answer.Body)
		}
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// mark remembers the operation of a request.
func (c *Checker) mark(r *http.Request) {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	c.mu.Lock()
	defer c.mu.Unlock()
	best := ""
	for declared := range c.declared {
		method, path, _ := strings.Cut(declared, " ")
		template := strings.Split(path, "/")
		if method != r.Method || len(template) != len(parts) {
			continue
		}
		same := true
		for i, part := range template {
			same = same && (part == parts[i] || strings.HasPrefix(part, "{"))
		}
		if same && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best = declared
		}
	}
	c.seen[best] = true
}

// Unseen are the operations of the document that no request named, except those given.
func (c *Checker) Unseen(except ...string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var unseen []string
	for declared, id := range c.declared {
		if !c.seen[declared] && !slices.Contains(except, id) {
			unseen = append(unseen, id)
		}
	}
	slices.Sort(unseen)
	return unseen
}
