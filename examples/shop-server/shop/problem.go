package shop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// problemBody is a problem document, RFC 9457.
type problemBody struct {
	Type          string       `json:"type"`
	Title         string       `json:"title"`
	Status        int          `json:"status"`
	Detail        string       `json:"detail,omitempty"`
	Code          string       `json:"code"`
	RequestID     string       `json:"request_id,omitempty"`
	Errors        []fieldError `json:"errors,omitempty"`
	DeclineReason string       `json:"decline_reason,omitempty"`
}

type fieldError struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

const requestIDHeader = "X-Request-ID"

func problem(w http.ResponseWriter, status int, code, title string) {
	writeProblem(w, problemBody{Status: status, Code: code, Title: title})
}

func notFound(w http.ResponseWriter, kind, id string) {
	writeProblem(w, problemBody{
		Status: http.StatusNotFound, Code: "not_found", Title: "Not found",
		Detail: fmt.Sprintf("There is no %s %s.", kind, id),
	})
}

func wrongState(w http.ResponseWriter, detail string) {
	w.Header().Set("X-Should-Retry", "false")
	writeProblem(w, problemBody{
		Status: http.StatusConflict, Code: "wrong_state", Title: "The object is not in a state that allows this", Detail: detail,
	})
}

func invalid(w http.ResponseWriter, errs []fieldError) {
	writeProblem(w, problemBody{
		Status: http.StatusUnprocessableEntity, Code: "invalid", Title: "Invalid request", Errors: errs,
	})
}

// unavailable answers for a backend that cannot be asked.
func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	problem(w, http.StatusServiceUnavailable, "unavailable", "The service cannot answer now")
}

func writeProblem(w http.ResponseWriter, p problemBody) {
	p.Type = "https://docs.shop.example/problems/" + p.Code
	p.RequestID = w.Header().Get(requestIDHeader)
	write(w, p.Status, "application/problem+json", p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	write(w, status, "application/json", v)
}

func write(w http.ResponseWriter, status int, contentType string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // the shop holds nothing that JSON cannot say
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// readJSON decodes the body into v, or answers 422. An absent body leaves v as it is when it may be absent.
func readJSON(w http.ResponseWriter, r *http.Request, v any, mayBeAbsent bool) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		problem(w, http.StatusRequestEntityTooLarge, "too_large", "The body is too large")
		return false
	}
	if len(body) == 0 && mayBeAbsent {
		return true
	}
	if err := json.Unmarshal(body, v); err != nil {
		invalid(w, []fieldError{{Pointer: "", Message: err.Error()}})
		return false
	}
	return true
}

// checks collects what is wrong with the fields of a request.
type checks []fieldError

func (c *checks) that(ok bool, pointer, message string) {
	if !ok {
		*c = append(*c, fieldError{Pointer: pointer, Message: message})
	}
}

// failed answers 422 when something is wrong.
func (c *checks) failed(w http.ResponseWriter) bool {
	if len(*c) == 0 {
		return false
	}
	invalid(w, *c)
	return true
}
