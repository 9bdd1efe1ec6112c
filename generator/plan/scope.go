package plan

import (
	"go/token"
	"strconv"
)

// scope hands out names that are unique in one place of Go: a package, a struct, a method's arguments.
type scope struct {
	taken map[string]bool
}

func newScope(reserved ...string) *scope {
	s := &scope{taken: make(map[string]bool, len(reserved))}
	for _, r := range reserved {
		s.taken[r] = true
	}
	return s
}

// take gives the first candidate that is free, and numbers the first one when none is.
func (s *scope) take(candidates ...string) string {
	for _, c := range candidates {
		if c != "" && s.free(c) {
			s.taken[c] = true
			return c
		}
	}
	base := candidates[0]
	if endsInDigit(base) {
		base += "x"
	}
	for i := 2; ; i++ {
		if c := base + strconv.Itoa(i); s.free(c) {
			s.taken[c] = true
			return c
		}
	}
}

func (s *scope) free(name string) bool {
	return !s.taken[name] && !token.IsKeyword(name)
}

// predeclared names, standard packages and the runtime's packages that a local name must not hide.
var hidden = []string{
	"any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64", "complex128", "copy",
	"delete", "error", "false", "float32", "float64", "imag", "int", "int8", "int16", "int32", "int64", "iota", "len",
	"make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true", "uint",
	"uint8", "uint16", "uint32", "uint64", "uintptr", "ctx", "opts", "params", "body", "err", "client", "wire",
	"transport", "retry", "keys", "budget", "context", "fmt", "http", "io", "iter", "json", "slog", "strconv", "time",
	"url", "errors", "strings", "bytes", "os", "init", "main", "s", "c", "out", "req", "res", "resp", "result", "webhook", "oauth2", "slices", "maps",
}

// packageNames are declared by every generated package, whatever the document.
var packageNames = []string{
	"Client", "New", "Error", "Option", "Config", "Version", "Transport", "Budget", "Backoff", "Outcome", "Reason", "Hook", "Event", "File",
	"Nullable", "Null", "Value", "Date", "Page", "Pages", "Response", "Request", "Middleware", "ParseWebhook", "Webhook",
	"UserAgent", "DefaultBaseURL", "Server", "Operation", "Operations", "API", "NoContent", "Ptr", "Stream", "Job", "Download", "Credentials",
}
