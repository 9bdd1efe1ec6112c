package pace

import (
	"math"
	"time"
)

// Constants of the recovery: those of the AWS SDKs' adaptive retry mode
// (aws-sdk-go-v2 v1.48.0, aws/retry/adaptive_ratelimit.go), which follows the
// congestion control of CUBIC TCP (RFC 9438).
const (
	beta  = 0.7
	scale = 0.4
)

// Cubic computes a send rate, in requests per second: a throttle cuts it, and
// from there it climbs back fast, hesitates near the rate that was cut, and then
// tries more.
type Cubic struct {
	lastMax   float64
	throttled time.Time
}

// NewCubic returns a Cubic that was throttled at the given time and rate.
func NewCubic(lastMax float64, throttled time.Time) Cubic {
	return Cubic{lastMax: lastMax, throttled: throttled}
}

// Throttled notes a throttle at now while sending at rate, and returns the
// rate to go on with.
func (c *Cubic) Throttled(rate float64, now time.Time) float64 {
	c.lastMax, c.throttled = rate, now

	return rate * beta
}

// Recovered returns the rate at now when nothing was throttled since.
func (c *Cubic) Recovered(now time.Time) float64 {
	window := math.Cbrt(c.lastMax * (1 - beta) / scale)
	off := now.Sub(c.throttled).Seconds() - window

	return scale*off*off*off + c.lastMax
}
