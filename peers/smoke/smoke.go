// Package smoke calls every operation of a generated SDK with values that were made from the document, and says how each
// call ended. Programs that the peers commands write import it.
package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Call is one operation: the method of the SDK, and the JSON values of its arguments.
type Call struct {
	ID     string
	Method any                        // method value, such as client.Orders.Create
	Path   []json.RawMessage          // positional arguments
	Bodies []json.RawMessage          // samples of the body, tried in turn; nil: the operation has none
	Params map[string]json.RawMessage // by name on the wire
}

// Outcome is how a call ended.
type Outcome struct {
	ID     string `json:"id"`
	Result string `json:"result"` // ok, example, error-answer, refused, decode, no-answer, unsampled, panic
	Detail string `json:"detail,omitempty"`
	// Answer is the one that could not be decoded.
	Answer *Answer `json:"answer,omitempty"`
}

// Answer is what came back.
type Answer struct {
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}

// Run makes the calls one after another and writes their outcomes to w as JSON lines.
func Run(calls []Call, opts []client.Option, w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, c := range calls {
		if err := encoder.Encode(run(c, opts)); err != nil {
			return err
		}
	}
	return nil
}

// Main runs the calls and exits.
func Main(calls []Call, opts ...client.Option) {
	if err := Run(calls, opts, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(c Call, opts []client.Option) (out Outcome) {
	out.ID = c.ID
	defer func() {
		if p := recover(); p != nil {
			out.Result, out.Detail = "panic", fmt.Sprint(p)
		}
	}()
	bodies := c.Bodies
	if len(bodies) == 0 {
		bodies = []json.RawMessage{nil}
	}
	for i, body := range bodies {
		result, detail, answer := call(c, body, opts)
		if result == "decode" {
			out.Answer = answer
		}
		if i == 0 || result != "unsampled" && result != "refused" {
			out.Result, out.Detail = result, detail
		}
		if result != "unsampled" && result != "refused" {
			break
		}
		// A sample that Prism refuses also as it was made says nothing of the SDK: the next one is tried.
		if spoiled(c, body, opts) {
			return Outcome{ID: c.ID, Result: "refused", Detail: "taken as it was made, refused as the SDK encodes it: " + detail}
		}
	}
	if out.Result != "decode" {
		return out
	}
	// The document's own example may contradict its schema: ask for an answer made from the schema.
	for _, body := range bodies {
		result, detail, _ := call(c, body, append(slices.Clone(opts), client.WithHeader("Prefer", "dynamic=true")))
		if result == "refused" || result == "unsampled" {
			continue
		}
		if result == "ok" {
			out.Result = "example"
		} else {
			out.Detail += "; an answer made from the schema: " + detail
		}
		break
	}
	return out
}

// patience is how long a call may take: Prism needs long for large schemas.
const patience = time.Minute

// HTTP is the client that the calls use. It follows no redirect: Prism makes up where they lead.
var HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call makes one call.
func call(c Call, body json.RawMessage, opts []client.Option) (result, detail string, answer *Answer) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var info client.ResponseInfo
	args, err := arguments(ctx, c, body, append(slices.Clone(opts), client.WithMaxAttempts(1), client.WithDeadline(patience),
		client.WithAttemptTimeout(patience), client.WithResponse(&info)))
	if err != nil {
		return "unsampled", err.Error(), nil
	}
	err = finish(reflect.ValueOf(c.Method).Call(args))
	var failed *client.Error
	if errors.As(err, &failed) {
		answer = &Answer{failed.StatusCode, failed.Header.Get("Content-Type"), string(failed.Body)}
	}
	result, detail = judge(err, info.Header)
	return result, detail, answer
}

// spoiled tells that Prism takes the sample of a JSON body word for word in place of what the SDK made of it.
func spoiled(c Call, body json.RawMessage, opts []client.Option) bool {
	replaced := false
	result, _, _ := call(c, body, append(slices.Clone(opts), client.WithAttemptMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if body == nil || !strings.Contains(req.Header.Get("Content-Type"), "json") {
				return next.RoundTrip(req)
			}
			replaced = true
			req = req.Clone(req.Context())
			req.Body, req.GetBody, req.ContentLength = io.NopCloser(bytes.NewReader(body)), nil, int64(len(body))
			return next.RoundTrip(req)
		})
	})))
	return replaced && result != "refused" && result != "no-answer"
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

var (
	readerType = reflect.TypeFor[io.Reader]()
	fileType   = reflect.TypeFor[*wire.File]()
)

// arguments lays out ctx, path values, body, params and options as the method takes them.
func arguments(ctx context.Context, c Call, body json.RawMessage, opts []client.Option) ([]reflect.Value, error) {
	t := reflect.TypeOf(c.Method)
	args := []reflect.Value{reflect.ValueOf(ctx)}
	path := c.Path
	for i := 1; i < t.NumIn()-1; i++ {
		in := t.In(i)
		switch {
		case len(path) > 0:
			v, err := decode(in, path[0])
			if err != nil {
				return nil, fmt.Errorf("path value %d: %w", i, err)
			}
			args, path = append(args, v), path[1:]
		case isParams(in):
			v, err := params(in, c.Params)
			if err != nil {
				return nil, err
			}
			args = append(args, v)
		default:
			if body == nil {
				body = json.RawMessage("null")
			}
			v, err := decode(in, body)
			if err != nil {
				return nil, fmt.Errorf("body: %w", err)
			}
			args = append(args, v)
		}
	}
	for _, opt := range opts {
		args = append(args, reflect.ValueOf(&opt).Elem())
	}
	return args, nil
}

// isParams tells a struct of parameters by its tags.
func isParams(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	for i := range t.NumField() {
		if name, _ := wireName(t.Field(i)); name != "" {
			return true
		}
	}
	return false
}

func wireName(f reflect.StructField) (name, in string) {
	for _, in := range []string{"query", "header", "cookie"} {
		if tag, ok := f.Tag.Lookup(in); ok {
			name, _, _ := strings.Cut(tag, ",")
			return name, in
		}
	}
	return "", ""
}

func params(t reflect.Type, values map[string]json.RawMessage) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	for i := range t.NumField() {
		name, in := wireName(t.Field(i))
		if raw, ok := values[in+":"+name]; ok {
			field, err := decode(t.Field(i).Type, raw)
			if err != nil {
				return v, fmt.Errorf("%s parameter %s: %w", in, name, err)
			}
			v.Field(i).Set(field)
		}
	}
	return v, nil
}

// decode makes a Go value of a JSON text. Files and readers, which JSON cannot say, get a few bytes.
func decode(t reflect.Type, raw json.RawMessage) (reflect.Value, error) {
	switch t {
	case readerType:
		return reflect.ValueOf(strings.NewReader("binary")).Convert(readerType), nil
	case fileType:
		return reflect.ValueOf(wire.FromBytes("file.txt", []byte("content"))), nil
	}
	v := reflect.New(t)
	if hasFiles(t, 0) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return v.Elem(), err
		}
		return v.Elem(), fill(v.Elem(), members)
	}
	err := json.Unmarshal(raw, v.Interface())
	if number := json.Number(""); err != nil && t.Kind() == reflect.String && json.Unmarshal(raw, &number) == nil {
		v.Elem().SetString(number.String()) // a parameter that is text or a number is text
		return v.Elem(), nil
	}
	return v.Elem(), err
}

func hasFiles(t reflect.Type, depth int) bool {
	if t == fileType || t == readerType {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return depth < 4 && hasFiles(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && depth < 2 && hasFiles(f.Type, depth+2) {
				return true
			}
		}
	default:
	}
	return false
}

// fill sets the fields of a multipart body one by one.
func fill(v reflect.Value, members map[string]json.RawMessage) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		raw, ok := members[name]
		if !ok {
			continue
		}
		t := v.Field(i).Type()
		if t.Kind() == reflect.Slice && hasFiles(t.Elem(), 0) {
			one, err := decode(t.Elem(), raw)
			if err != nil {
				return err
			}
			v.Field(i).Set(reflect.Append(v.Field(i), one))
			continue
		}
		field, err := decode(t, raw)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		v.Field(i).Set(field)
	}
	return nil
}

// finish gives the error of a call; a stream is read to its first event, a download to its end.
func finish(results []reflect.Value) error {
	if err, ok := results[len(results)-1].Interface().(error); ok && err != nil {
		return err
	}
	for _, r := range results {
		if r.Kind() == reflect.Func && r.Type().NumIn() == 1 {
			return first(r)
		}
		if body, ok := r.Interface().(io.ReadCloser); ok && !r.IsNil() {
			_, err := io.Copy(io.Discard, body)
			return errors.Join(err, body.Close())
		}
	}
	return nil
}

// first takes one element of an iter.Seq2[T, error].
func first(seq reflect.Value) error {
	var found error
	yield := reflect.MakeFunc(seq.Type().In(0), func(args []reflect.Value) []reflect.Value {
		if err, ok := args[len(args)-1].Interface().(error); ok {
			found = err
		}
		return []reflect.Value{reflect.ValueOf(false)}
	})
	seq.Call([]reflect.Value{yield})
	return found
}

// judge sorts an answer: what the mock says of our request, what the document says of its answer, what we could not read.
func judge(err error, header http.Header) (result, detail string) {
	var answer *client.Error
	if errors.As(err, &answer) && answer.StatusCode != 0 {
		header = answer.Header
		if body := string(answer.Body); strings.Contains(body, "stoplight.io/prism/errors#") {
			return "refused", body
		}
	}
	if detail := violations(header); detail != "" {
		return "refused", detail
	}
	switch {
	case err == nil:
		return "ok", ""
	case answer == nil || answer.StatusCode == 0:
		return "no-answer", err.Error()
	case answer.StatusCode >= http.StatusMultipleChoices:
		return "error-answer", strconv.Itoa(answer.StatusCode)
	}
	return "decode", err.Error()
}

// violations are what Prism found wrong with the request, which it tells in a header beside its answer.
func violations(header http.Header) string {
	var found []struct {
		Location []string `json:"location"`
		Severity string   `json:"severity"`
		Message  string   `json:"message"`
	}
	if err := json.Unmarshal([]byte(header.Get("Sl-Violations")), &found); err != nil {
		return ""
	}
	for _, v := range found {
		if v.Severity == "Error" && len(v.Location) > 0 && v.Location[0] == "request" {
			return v.Message
		}
	}
	return ""
}
