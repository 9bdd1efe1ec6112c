package budget

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Defaults of a Share, those of Finagle's and linkerd's retry budgets.
const (
	DefaultRatio     = 0.2
	DefaultWindow    = 10 * time.Second
	DefaultPerSecond = 10
)

const slots = 10

// ShareConfig sets a [Share] up. A zero field takes its default.
type ShareConfig struct {
	// Ratio is how many retries one first attempt pays for. Default 0.2;
	// negative means none.
	Ratio float64
	// Window is how long a first attempt counts. Default 10 s.
	Window time.Duration
	// PerSecond is the floor: so many retries a second are allowed whatever
	// the traffic. Default 10; negative means none.
	PerSecond float64
}

// Share allows retries up to a share of the first attempts of the last window.
// When that is used up, a floor of retries per second remains, so that a
// client with little traffic can still retry. All kinds cost one retry, and a
// success gives nothing back.
//
// It is safe for concurrent use.
type Share struct {
	ratio  float64
	window time.Duration
	floor  *rate.Limiter
	burst  int

	mu      sync.Mutex
	started time.Time
	slot    int64
	credit  [slots]float64
	refused uint64
}

// NewShare returns a Share with nothing in its window and a full floor.
func NewShare(cfg ShareConfig) *Share {
	s := &Share{
		ratio:  max(pickFloat(cfg.Ratio, DefaultRatio), 0),
		window: cfg.Window,
	}
	if s.window <= 0 {
		s.window = DefaultWindow
	}

	perSecond := max(pickFloat(cfg.PerSecond, DefaultPerSecond), 0)
	s.burst = int(math.Ceil(perSecond * s.window.Seconds()))
	s.floor = rate.NewLimiter(rate.Limit(perSecond), s.burst)

	return s
}

func pickFloat(value, fallback float64) float64 {
	if value == 0 || math.IsNaN(value) {
		return fallback
	}

	return value
}

// Request implements [Budget].
func (s *Share) Request(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.advance(now)
	s.credit[s.slot%slots] += s.ratio
}

// Withdraw implements [Budget].
func (s *Share) Withdraw(now time.Time, _ Kind) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.advance(now)

	if s.take() || s.floor.AllowN(now, 1) {
		return nil
	}

	s.refused++

	return &ExhaustedError{Cost: 1, State: s.state(now), Wait: s.wait(now), Successes: 0}
}

// Charge implements [Budget].
func (s *Share) Charge(now time.Time, _ Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.advance(now)

	if !s.take() {
		s.floor.AllowN(now, 1)
	}
}

// Success implements [Budget]; a Share gives nothing back.
func (s *Share) Success(Kind) {}

// State implements [Budget].
func (s *Share) State(now time.Time) State {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.advance(now)

	return s.state(now)
}

// rounding absorbs what adding up binary fractions loses.
const rounding = 1e-6

// take spends one retry of the window, oldest first.
func (s *Share) take() bool {
	if s.balance()+rounding < 1 {
		return false
	}

	need := 1.0

	for i := int64(1); i <= slots && need > 0; i++ {
		c := &s.credit[(s.slot+i)%slots]
		spent := min(*c, need)
		*c -= spent
		need -= spent
	}

	return true
}

func (s *Share) balance() float64 {
	sum := 0.0
	for _, c := range s.credit {
		sum += c
	}

	return sum
}

// advance drops the slots that have left the window.
func (s *Share) advance(now time.Time) {
	if s.started.IsZero() {
		s.started = now
	}

	slot := int64(now.Sub(s.started) / (s.window / slots))
	for i := range min(slot-s.slot, slots) {
		s.credit[(slot-i)%slots] = 0
	}

	s.slot = max(s.slot, slot)
}

func (s *Share) state(now time.Time) State {
	available := int(s.balance()+rounding) + int(max(s.floor.TokensAt(now), 0)+rounding)

	return State{
		Available: available,
		Capacity:  max(available, s.burst),
		Refused:   s.refused,
	}
}

// wait is how long the floor needs to grow to one retry.
func (s *Share) wait(now time.Time) time.Duration {
	limit := float64(s.floor.Limit())
	if limit <= 0 || s.burst < 1 {
		return 0
	}

	missing := 1 - s.floor.TokensAt(now)

	return time.Duration(missing / limit * float64(time.Second))
}
