package plan

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// p99Factor: an attempt may take three times the operation's 99th percentile.
const p99Factor = 3

// retry reads what the document says of repeating an operation: our extension, then those that others read.
func (b *builder) retry(o *operation) {
	m := o.method
	m.Idempotent, m.SafeFrom = isByMethodIdempotent(o.Method), "method"
	if o.Node.Flag("x-idempotent") {
		m.Idempotent, m.SafeFrom = true, "x-idempotent"
	}
	for _, n := range []*spec.Node{b.doc.Root.Get("x-speakeasy-retries"), o.Node.Get("x-speakeasy-retries")} {
		if n.IsObject() {
			speakeasyRetries(&m.Retry, n)
		}
	}
	if o.Node.Get("x-fern-retries").Flag("disabled") {
		m.Retry.Disabled = true
	}
	own := o.Node.Get("x-retry")
	switch {
	case own == nil:
	case own.Kind == spec.Bool:
		m.Retry.Disabled = !own.IsTrue()
	case own.IsObject():
		b.ownRetry(m, own)
	default:
		b.failf(own, "x-retry", "x-retry is an object, or false to switch retries off")
	}
}

func (b *builder) ownRetry(m *Method, own *spec.Node) {
	r := &m.Retry
	for _, member := range own.All() {
		v := member.Value
		switch member.Key {
		case "safe":
			m.Idempotent, m.SafeFrom = v.IsTrue(), "x-retry"
		case "attempts":
			n, ok := v.Int()
			if !ok || n < 1 {
				b.failf(v, "x-retry", "attempts is a whole number from 1")
			}
			r.Attempts = n
		case "statuses":
			r.Statuses = []int{}
			for _, item := range v.List() {
				r.Statuses = append(r.Statuses, expandStatus(item.Text())...)
			}
		case "base":
			r.BaseMS = b.milliseconds(v)
		case "cap":
			r.CapMS = b.milliseconds(v)
		case "deadline":
			r.DeadlineMS = b.milliseconds(v)
		case "attempt-timeout":
			r.AttemptMS = b.milliseconds(v)
		case "p99":
			if r.AttemptMS == 0 && !own.Has("attempt-timeout") {
				r.AttemptMS = p99Factor * b.milliseconds(v)
			}
		case "disabled":
			r.Disabled = v.IsTrue()
		case "override-header":
			r.OverrideHeader = v.Text()
		default:
			b.failf(v, "x-retry", "x-retry has no member %q", member.Key)
		}
	}
}

// milliseconds reads a duration such as 300ms, 2s or 1m30s.
func (b *builder) milliseconds(n *spec.Node) int {
	d, err := time.ParseDuration(n.Text())
	if err != nil || d < 0 {
		b.failf(n, "x-retry", "%q is not a duration; write 300ms, 2s or 1m", n.Text())
		return 0
	}
	return int(d / time.Millisecond)
}

// speakeasyRetries reads the retry extension of Speakeasy, whose times are in milliseconds.
func speakeasyRetries(r *Retry, n *spec.Node) {
	if n.Str("strategy") == "none" {
		r.Disabled = true
		return
	}
	backoff := n.Get("backoff")
	if ms, ok := backoff.Get("initialInterval").Int(); ok && ms > 0 {
		r.BaseMS = ms
	}
	if ms, ok := backoff.Get("maxInterval").Int(); ok && ms > 0 {
		r.CapMS = ms
	}
	if ms, ok := backoff.Get("maxElapsedTime").Int(); ok && ms > 0 {
		r.DeadlineMS = ms
	}
	if codes := n.Get("statusCodes").List(); len(codes) > 0 {
		r.Statuses = nil
		for _, c := range codes {
			r.Statuses = append(r.Statuses, expandStatus(c.Text())...)
		}
	}
}

// expandStatus reads 503, 5XX or 4XX; a class stands for its statuses that can pass.
func expandStatus(text string) []int {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "5XX":
		return []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	case "4XX":
		return []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}
	}
	if code, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && code >= 100 && code < 600 {
		return []int{code}
	}
	return nil
}
