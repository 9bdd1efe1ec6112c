package client

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// requestIDHeaders are the names under which servers hand out the id of a request.
var requestIDHeaders = []string{
	"X-Request-Id", "Request-Id", "X-Correlation-Id", "X-Amzn-Requestid", "X-Ms-Request-Id", "X-Trace-Id", "Paypal-Debug-Id",
}

func requestID(h http.Header) string {
	for _, name := range requestIDHeaders {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// problem is what an error body says in the members that APIs use for it: RFC 9457, OAuth 2, {error: {...}} and kin.
type problem struct{ code, message, requestID string }

const maxMessage = 300 // characters of a server's sentence in an error text

func readProblem(body []byte) problem {
	var root any
	if json.Unmarshal(body, &root) != nil {
		return problem{}
	}
	p := problemIn(root, 0)
	p.message = clip(strings.Join(strings.Fields(p.message), " "))
	return p
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxMessage {
		return s
	}
	return string([]rune(s)[:maxMessage]) + "..."
}

func problemIn(v any, depth int) problem {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	m, ok := v.(map[string]any)
	if !ok || depth > 2 {
		return problem{}
	}
	p := problem{
		code:      first(m, "code", "error_code", "errorCode", "error", "name"),
		message:   first(m, "message", "detail", "error_description", "error_message", "errorMessage", "title", "description"),
		requestID: first(m, "request_id", "requestId", "debug_id"),
	}
	for _, name := range []string{"error", "errors", "fault"} {
		inner := problemIn(m[name], depth+1)
		p.code = either(p.code, inner.code)
		p.message = either(p.message, inner.message)
		p.requestID = either(p.requestID, inner.requestID)
	}
	p.code = either(p.code, problemType(first(m, "type")))
	if p.message == "" && strings.Contains(p.code, " ") { // {"error": "a sentence"}
		p.message, p.code = p.code, ""
	}
	return p
}

// problemType is the last part of a problem type's URI; about:blank says nothing.
func problemType(uri string) string {
	if uri == "about:blank" {
		return ""
	}
	uri = strings.TrimRight(uri, "/")
	return uri[strings.LastIndexAny(uri, "/:#")+1:]
}

func first(m map[string]any, names ...string) string {
	for _, name := range names {
		switch v := m[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Describe is the text of a declared error type: what its JSON says in the usual members. Generated Error methods call
// it.
func Describe(typeName string, declared any) string {
	data, err := json.Marshal(declared)
	if err != nil {
		return typeName
	}
	p := readProblem(data)
	text := typeName
	if p.code != "" {
		text += " (" + p.code + ")"
	}
	if p.message != "" {
		text += ": " + p.message
	}
	return text
}
