// Package pace holds a client back when its server throttles: from the first
// throttle on, requests leave no faster than a rate that is cut by throttles
// and recovers in their absence. It is off unless a transport is given one,
// since it delays first attempts too, which a budget never does.
package pace

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// minRate keeps a client moving, in requests per second.
	minRate = 0.5
	// smooth is the weight of the newest measurement.
	smooth = 0.8
	// perSecond is how many measuring windows a second has.
	perSecond = 2
)

// Adaptive is a send rate that adapts to throttles. Share one among the calls
// that one limit of the server covers. It is safe for concurrent use.
type Adaptive struct {
	mu       sync.Mutex
	cubic    Cubic
	limiter  *rate.Limiter
	enabled  bool
	rate     float64
	measured float64
	window   float64
	sent     int
}

// NewAdaptive returns a pace that starts at now and holds nothing back until
// the first throttle.
func NewAdaptive(now time.Time) *Adaptive {
	return &Adaptive{
		cubic:   NewCubic(0, now),
		limiter: rate.NewLimiter(minRate, 1),
		rate:    minRate,
		window:  windowOf(now),
	}
}

func windowOf(now time.Time) float64 {
	return math.Floor(float64(now.UnixNano())/float64(time.Second)*perSecond) / perSecond
}

// Reserve returns how long a request that is ready at now has to wait. When it
// will not be sent after all, say so through giveBack.
func (a *Adaptive) Reserve(now time.Time) (wait time.Duration, giveBack func()) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if !a.enabled {
		return 0, func() {}
	}

	reservation := a.limiter.ReserveN(now, 1)

	return reservation.DelayFrom(now), func() { reservation.CancelAt(now) }
}

// Ended notes an answer at now, and whether it was a throttle.
func (a *Adaptive) Ended(now time.Time, throttled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.measure(now)

	var next float64

	if throttled {
		used := a.measured
		if a.enabled {
			used = min(used, a.rate)
		}

		a.enabled = true
		next = a.cubic.Throttled(used, now)
	} else {
		next = a.cubic.Recovered(now)
	}

	a.rate = max(min(next, 2*a.measured), minRate)
	a.limiter.SetLimitAt(now, rate.Limit(a.rate))
	a.limiter.SetBurstAt(now, max(int(a.rate), 1))
}

// measure updates the rate at which answers came in.
func (a *Adaptive) measure(now time.Time) {
	a.sent++

	window := windowOf(now)
	if window <= a.window {
		return
	}

	current := float64(a.sent) / (window - a.window)
	a.measured = current*smooth + a.measured*(1-smooth)
	a.sent = 0
	a.window = window
}

// Rate returns the rate that requests are held to, in requests per second, once
// a throttle was seen.
func (a *Adaptive) Rate() float64 {
	a.mu.Lock()
	defer a.mu.Unlock()

	return a.rate
}

// Measured returns the rate at which answers came in lately, in requests per
// second.
func (a *Adaptive) Measured() float64 {
	a.mu.Lock()
	defer a.mu.Unlock()

	return a.measured
}
