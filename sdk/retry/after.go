package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// After returns the wait that a response asks for, and whether it asks for
// one. now is the time at which the response arrived.
//
// Retry-After-Ms and X-Ms-Retry-After-Ms (milliseconds; OpenAI, Azure) are read
// first, then Retry-After as RFC 9110 section 10.2.3 has it: seconds, with
// fractions tolerated, or a date in any of the three forms of section 5.6.7. A
// date counts from the response's own Date, so that a wrong clock on this side
// does no harm. Values that are negative, past, too large for a
// time.Duration or not a number are no request to wait.
func After(header http.Header, now time.Time) (time.Duration, bool) {
	for _, name := range [...]string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if wait, ok := number(header.Get(name), time.Millisecond); ok {
			return wait, true
		}
	}

	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0, false
	}

	if wait, ok := number(value, time.Second); ok {
		return wait, true
	}

	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}

	if sent, err := http.ParseTime(header.Get("Date")); err == nil {
		now = sent
	}

	// Sub saturates where the difference does not fit.
	wait := at.Sub(now)
	if wait <= 0 || wait == math.MaxInt64 {
		return 0, false
	}

	return wait, true
}

// number reads a decimal number of units and rounds it up to the nanosecond.
// Digits and one point only: no sign, no exponent, no "inf".
func number(value string, unit time.Duration) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if value == "" || strings.Trim(value, "0123456789.") != "" {
		return 0, false
	}

	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, false
	}

	nanos := math.Ceil(f * float64(unit))
	if nanos >= math.MaxInt64 {
		return 0, false
	}

	return time.Duration(nanos), true
}
