package shop

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is one way in which a request goes wrong.
type Fault string

// The faults. Those "before" happen before anything was done, those "after" when the effect is there.
const (
	None           Fault = ""
	ResetBefore    Fault = "reset-before"    // the connection is reset before the request is looked at
	ResetAfter     Fault = "reset-after"     // the effect happens, then the connection is reset
	DropAfter      Fault = "drop-after"      // the effect happens, then the connection ends without an answer
	CutAfter       Fault = "cut-after"       // the effect happens, the answer breaks off in the middle of its body
	StallBefore    Fault = "stall-before"    // nothing happens until the client gives up
	StallAfter     Fault = "stall-after"     // the effect happens, the answer never comes
	Unavailable    Fault = "503"             // 503, nothing was done
	UnavailableFor Fault = "503-retry-after" // 503 with Retry-After: 1, nothing was done
	GatewayAfter   Fault = "504-after"       // the effect happens, a gateway answers 504
	TooMany        Fault = "429"             // 429 with Retry-After-Ms: 50, nothing was done
	GoAway         Fault = "goaway"          // the answer comes, and the connection ends: GOAWAY on HTTP/2
)

// Names are the names of all faults, sorted, as X-Shop-Fault takes them.
func Names() []string {
	names := []string{
		string(ResetBefore), string(ResetAfter), string(DropAfter), string(CutAfter), string(StallBefore),
		string(StallAfter), string(Unavailable), string(UnavailableFor), string(GatewayAfter), string(TooMany), string(GoAway),
	}
	slices.Sort(names)
	return names
}

// Plan decides what goes wrong with the n-th arrival (from 0) of the request called name; see [IntentHeader].
// It is called from several goroutines.
type Plan func(name string, n int) Fault

const (
	// FaultHeader asks for faults by name: "drop-after, 503" spoils the first two arrivals and lets the third pass.
	FaultHeader = "X-Shop-Fault"
	// IntentHeader names what the request is for. Repeats of it count as arrivals of the same request. Without it the
	// name is a digest of method, path and body.
	IntentHeader = "X-Shop-Intent"
)

// Mix is how often each fault is drawn, of 1.
type Mix map[Fault]float64

// DefaultMix spoils a bit more than every fourth request.
func DefaultMix() Mix {
	return Mix{
		DropAfter: 0.06, ResetAfter: 0.05, ResetBefore: 0.04, CutAfter: 0.03, StallAfter: 0.01,
		Unavailable: 0.04, UnavailableFor: 0.01, GatewayAfter: 0.03, TooMany: 0.03,
	}
}

// Seeded draws faults from mix. The draw depends on the seed, the name and the arrival only, not on the order in which
// requests come in, so two runs with one seed meet the same faults. From arrival number limit on nothing goes wrong.
func Seeded(seed uint64, mix Mix, limit int) Plan {
	faults := slices.Sorted(maps.Keys(mix))
	return func(name string, n int) Fault {
		if n >= limit {
			return None
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, name, n))
		source := rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))
		draw := rand.New(source).Float64()
		for _, fault := range faults {
			if draw < mix[fault] {
				return fault
			}
			draw -= mix[fault]
		}
		return None
	}
}

// withFaults stands outside of everything else: what it loses was committed inside.
func (s *Shop) withFaults(next http.Handler) http.Handler {
	var mu sync.Mutex
	arrivals := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Header.Get(FaultHeader)
		if strings.HasPrefix(r.URL.Path, "/debug/") || asked == "" && s.opts.Faults == nil {
			next.ServeHTTP(w, r)
			return
		}
		name, err := nameOf(r)
		if err != nil {
			return // the client left while it sent its body
		}
		mu.Lock()
		n := arrivals[name]
		arrivals[name]++
		mu.Unlock()
		fault := scripted(asked, n)
		if asked == "" {
			fault = s.opts.Faults(name, n)
		}
		s.spoil(fault, next, w, r)
	})
}

// scripted picks the n-th name of a list.
func scripted(list string, n int) Fault {
	names := strings.Split(list, ",")
	if n >= len(names) {
		return None
	}
	return Fault(strings.TrimSpace(names[n]))
}

// nameOf is what the request is called; it reads the body and puts it back.
func nameOf(r *http.Request) (string, error) {
	if name := r.Header.Get(IntentHeader); name != "" {
		return name, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	sum := sha256.New()
	fmt.Fprintln(sum, r.Method, r.URL.RequestURI())
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (s *Shop) spoil(fault Fault, next http.Handler, w http.ResponseWriter, r *http.Request) {
	switch fault {
	case None:
		next.ServeHTTP(w, r)
	case ResetBefore:
		reset(w)
	case ResetAfter:
		record(next, r)
		reset(w)
	case DropAfter:
		record(next, r)
		panic(http.ErrAbortHandler)
	case CutAfter:
		cut(w, record(next, r))
	case StallBefore:
		s.stall(r)
	case StallAfter:
		record(next, r)
		s.stall(r)
	case Unavailable:
		problem(w, http.StatusServiceUnavailable, "unavailable", "The service cannot answer now")
	case UnavailableFor:
		w.Header().Set("Retry-After", "1")
		problem(w, http.StatusServiceUnavailable, "unavailable", "The service cannot answer now")
	case GatewayAfter:
		record(next, r)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusGatewayTimeout)
		_, _ = io.WriteString(w, "<h1>504 Gateway Time-out</h1>")
	case TooMany:
		w.Header().Set("Retry-After-Ms", "50")
		problem(w, http.StatusTooManyRequests, "rate_limited", "Too many requests")
	case GoAway:
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
	default:
		problem(w, http.StatusBadRequest, "invalid", "Unknown name in "+FaultHeader+", known: "+strings.Join(Names(), ", "))
	}
}

// record runs the request to its end with an answer that nobody reads. The work does not end when the client leaves:
// that is what makes the answer, not the effect, the thing that is lost.
func record(next http.Handler, r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, r)
	return answer
}

// reset ends the connection with a TCP reset; on HTTP/2 the stream is reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// cut sends the head and the first half of the answer.
func cut(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), answer.Header())
	body := answer.Body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body[:len(body)/2])
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	panic(http.ErrAbortHandler)
}

// stall hangs until the client leaves.
func (s *Shop) stall(r *http.Request) {
	timer := time.NewTimer(s.opts.Stall)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
	panic(http.ErrAbortHandler)
}
