package shop

import (
	"net/http"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// rules are the operations whose key differs from the common rule: optional, and a rival is refused.
var rules = map[string]func(*idempotency.Options){
	"confirmOrder": func(o *idempotency.Options) {
		o.Key, o.InFlight = idempotency.KeyRequired, idempotency.InFlightWait
	},
	"cancelOrder": func(o *idempotency.Options) { o.Key = idempotency.KeyRequired },
	"createPayment": func(o *idempotency.Options) {
		o.InFlight, o.Resumable = idempotency.InFlightWait, true
	},
	"uploadDocument": func(o *idempotency.Options) { o.MaxBody = maxDocument + 1<<20 },
}

// keyed puts the idempotency middleware around an operation.
func (s *Shop) keyed(operation string, next http.HandlerFunc) http.HandlerFunc {
	options := idempotency.Options{
		Caller:    func(r *http.Request) (string, error) { return r.Header.Get("Authorization"), nil },
		Failures:  idempotency.ReattemptFailures,
		Operation: func(r *http.Request) string { return operation + " " + r.URL.Path },
		Key:       idempotency.KeyOptional,
		Hook:      s.opts.Events,
		Lease:     s.opts.Lease,
		Clock:     s.opts.Now,
	}
	if rule := rules[operation]; rule != nil {
		rule(&options)
	}
	return idempotency.Middleware(s.backend.Keys(), options)(refusals(next)).ServeHTTP
}

// refusals frees the key of a request that was refused: no handler of the shop answers 4xx after an effect, and a
// corrected request may come back under the key of the same event. What the bank has declined stays declined.
func refusals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&refusal{ResponseWriter: w, request: r}, r)
	})
}

type refusal struct {
	http.ResponseWriter

	request *http.Request
}

func (w *refusal) WriteHeader(status int) {
	if status >= 400 && status < 500 && status != http.StatusPaymentRequired {
		idempotency.NoEffect(w.request.Context())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *refusal) Unwrap() http.ResponseWriter { return w.ResponseWriter }
