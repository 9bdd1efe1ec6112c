// Package contract holds what goes over the wire against openapi.yaml, for tests.
package contract

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Checker wraps a handler and remembers which operations were seen.
type Checker struct {
	next     http.Handler
	document *openapi3.T
	router   routers.Router
	t        testing.TB

	mu   sync.Mutex
	seen map[string]bool // by operationId
}

// options check formats and undeclared answers too. Credentials are the matter of the server's own tests.
var options = openapi3filter.Options{
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true,
	SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.EnableFormatValidation()},
}

// New reads openapi.yaml and returns a handler that reports each request and each answer that the document does not
// allow as a failure of t. Streams that do not end by themselves must go around it.
func New(tb testing.TB, next http.Handler) *Checker {
	tb.Helper()
	document, err := openapi3.NewLoader().LoadFromFile(find(tb, "openapi.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	if err := document.Validate(tb.Context()); err != nil {
		tb.Error(err)
	}
	document.Servers = openapi3.Servers{{URL: "/v1"}} // the shop listens on loopback
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		tb.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder(ndjson, openapi3filter.JSONBodyDecoder) // of one line
	return &Checker{next: next, document: document, router: router, t: tb, seen: map[string]bool{}}
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
	asked.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	c.next.ServeHTTP(answer, r)

	c.check(asked, body, answer)
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func (c *Checker) check(asked *http.Request, body []byte, answer *httptest.ResponseRecorder) {
	route, values, err := c.router.FindRoute(asked)
	if err != nil {
		c.t.Errorf("%s %s: %v", asked.Method, asked.URL, err)
		return
	}
	c.mu.Lock()
	c.seen[route.Operation.OperationID] = true
	c.mu.Unlock()
	for name, value := range values { // the router gives them as they stand in the path
		if values[name], err = url.PathUnescape(value); err != nil {
			c.t.Errorf("%s %s: %v", asked.Method, asked.URL, err)
		}
	}
	allowed := options
	// The validator takes each part for an item of an array, and a JSON array is one part.
	allowed.ExcludeRequestBody = strings.HasPrefix(asked.Header.Get("Content-Type"), "multipart/")
	request := &openapi3filter.RequestValidationInput{Request: asked, PathParams: values, Route: route, Options: &allowed}
	// A request that the server refuses may be wrong on purpose; its answer must be right all the same.
	if answer.Code < 400 {
		if err := openapi3filter.ValidateRequest(asked.Context(), request); err != nil {
			c.t.Errorf("request %s %s: %v\n%s", asked.Method, asked.URL, err, body)
		}
	}
	for _, text := range documents(answer) {
		response := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: request, Status: answer.Code, Header: answer.Header(), Body: io.NopCloser(bytes.NewReader(text)), Options: &options,
		}
		if err := openapi3filter.ValidateResponse(asked.Context(), response); err != nil {
			c.t.Errorf("answer to %s %s: %d: %v\n%s", asked.Method, asked.URL, answer.Code, err, text)
		}
	}
}

const ndjson = "application/x-ndjson"

// documents are what the schema of an answer describes: each line of a stream, or the whole.
func documents(answer *httptest.ResponseRecorder) [][]byte {
	body := answer.Body.Bytes()
	if answer.Header().Get("Content-Type") != ndjson {
		return [][]byte{body}
	}
	return bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
}

// Unseen are the operations of the document that no request named, except those given.
func (c *Checker) Unseen(except ...string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var unseen []string
	for _, path := range c.document.Paths.Map() {
		for _, operation := range path.Operations() {
			if id := operation.OperationID; !c.seen[id] && !slices.Contains(except, id) {
				unseen = append(unseen, id)
			}
		}
	}
	slices.Sort(unseen)
	return unseen
}
