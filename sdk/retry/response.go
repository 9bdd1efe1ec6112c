package retry

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Override is the server's own word on retrying.
type Override uint8

const (
	// Unsaid means that the server left it to the client.
	Unsaid Override = iota
	// Yes means that the server asked for a retry.
	Yes
	// No means that the server asked for none.
	No
)

// Verdict is what an attempt's end means.
type Verdict struct {
	Class    Class
	Override Override
}

// Rules adapt the classification to one operation. The zero value is the
// failure table as it stands.
type Rules struct {
	// Statuses replaces which answers are retryable; nil leaves the table. A
	// 500 that is listed is retried like a 502.
	Statuses []int
	// OverrideHeader names a response header that says "true" or "false" on
	// retrying, for example X-Should-Retry. Empty: none is read.
	OverrideHeader string
	// ReusedCodes and InProgressCodes are the machine codes of a 409 or 422
	// that tell a reused key and a request in progress; nil: the well-known
	// ones.
	ReusedCodes, InProgressCodes []string
}

// ClassifyResponse says what an answer means. body is what was read of it and
// only looked at for a 409 or 422. now is when it arrived.
func ClassifyResponse(status int, header http.Header, body []byte, rules Rules, now time.Time) Verdict {
	verdict := Verdict{Class: classify(status, header, body, rules, now), Override: Unsaid}

	if verdict.Class != Success && rules.OverrideHeader != "" {
		switch strings.ToLower(strings.TrimSpace(header.Get(rules.OverrideHeader))) {
		case "true":
			verdict.Override = Yes
		case "false":
			verdict.Override = No
		}
	}

	return verdict
}

func classify(status int, header http.Header, body []byte, rules Rules, now time.Time) Class {
	if status < http.StatusBadRequest {
		return Success
	}

	if conflict := classifyConflict(status, body, rules); conflict != Permanent {
		return conflict
	}

	// A stored answer comes back the same under the same key.
	if Replayed(header) {
		return Permanent
	}

	class := byStatus(status)

	switch {
	case rules.Statuses == nil, class == Unauthorized:
	case !slices.Contains(rules.Statuses, status):
		return Permanent
	case class == Permanent, class == Cautious:
		class = Unknown
	}

	if status == http.StatusServiceUnavailable && class == Unknown {
		if wait, asked := After(header, now); asked && wait > 0 {
			return Overloaded
		}
	}

	return class
}

func byStatus(status int) Class {
	switch status {
	case http.StatusTooManyRequests:
		return Throttled
	case http.StatusInternalServerError:
		return Cautious
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusRequestTimeout, http.StatusTooEarly:
		return Unknown
	case http.StatusUnauthorized:
		return Unauthorized
	}

	return Permanent
}

// Replayed reports whether a response says that it is the stored answer of an
// earlier request with the same key.
func Replayed(header http.Header) bool {
	for _, name := range [...]string{
		"Idempotent-Replayed", "X-Idempotent-Replayed", "Idempotency-Replayed", "Idempotency-Replay",
	} {
		if value := header.Get(name); value != "" && value != "false" && value != "0" {
			return true
		}
	}

	return false
}
