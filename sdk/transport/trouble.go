package transport

import (
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// result is how an attempt ended.
type result struct {
	attempt *attempt
	resp    *http.Response
	err     error
}

func (r *result) status() int {
	if r.resp == nil {
		return 0
	}

	return r.resp.StatusCode
}

// trouble is what a call needs once something failed. A call without failures,
// the common one, does not pay for it.
type trouble struct {
	// Of the last attempt.
	verdict retry.Verdict
	peeked  []byte
	after   time.Duration
	asked   bool

	// Of the call so far.
	retries   int
	cautious  int
	wait      time.Duration
	answer    *answer
	refreshed bool
	mayRetry  bool
	uncertain bool

	// Its outlook.
	again  bool
	reason Reason
	stop   error
}

// failing returns the call's trouble.
func (c *call) failing() *trouble {
	if c.trouble == nil {
		c.trouble = &trouble{}
	}

	return c.trouble
}

// reason and class are safe to ask for in a call without trouble.
func (c *call) reason() Reason {
	if c.trouble == nil {
		return ReasonNone
	}

	return c.trouble.reason
}

func (c *call) class() retry.Class {
	if c.trouble == nil {
		return retry.Success
	}

	return c.trouble.verdict.Class
}

// answer is what is kept of an answer whose body is gone.
type answer struct {
	status int
	header http.Header
	body   []byte
	after  time.Duration
}
