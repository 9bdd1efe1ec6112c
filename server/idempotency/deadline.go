package idempotency

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Deadline bounds every request by the time that its client has left, read from the named header: whole milliseconds,
// or a number with a unit as gRPC writes its timeout (H, M, S, m, u, n). The time is relative, so that clocks need not
// agree. A value that cannot be read, or is not positive, counts as absent. Mount it outside Middleware, which keeps a
// deadline and drops only the client's hanging up.
func Deadline(header string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			left, ok := timeLeft(r.Header.Get(header))
			if !ok {
				next.ServeHTTP(w, r)
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), left)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// maxTimeLeft is far above any real deadline and far below an overflow of time.Duration.
const maxTimeLeft = 30 * 24 * time.Hour

var units = map[byte]time.Duration{
	'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
}

func timeLeft(value string) (time.Duration, bool) {
	if value == "" {
		return 0, false
	}
	unit := time.Millisecond
	if u, ok := units[value[len(value)-1]]; ok {
		unit, value = u, value[:len(value)-1]
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || n <= 0:
		return 0, false
	case n > int64(maxTimeLeft/unit):
		return maxTimeLeft, true
	}
	return time.Duration(n) * unit, true
}
