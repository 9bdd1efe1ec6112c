package transport

import (
	"errors"
	"hash/maphash"
	"io"
	"net/http"
	"slices"

	"github.com/retrysafe/retrysafe/sdk/keys"
)

// ErrNoKeyTaken is returned when a key is given for an operation that takes
// none: sending it would look safe and not be.
var ErrNoKeyTaken = errors.New("transport: the operation takes no idempotency key")

// makeKey makes the call's key, puts it on the call's header, and works out
// whether the request may be repeated.
func (c *call) makeKey(previous *call) error {
	c.safe = c.cfg.idempotent(c.req.Method)

	if previous != nil && previous.req.Method != c.req.Method {
		return nil
	}

	if !c.cfg.takesKey(c.req.Method) {
		if c.cfg.key != "" {
			return ErrNoKeyTaken
		}

		return nil
	}

	rule, header := c.keyRule()
	random := false

	switch {
	case previous != nil && previous.key[0] != "":
		c.key[0] = previous.key[0]
	case c.cfg.key != "":
		c.key[0] = c.cfg.key
	case header != "" && c.req.Header.Get(header) != "":
		c.key[0] = c.req.Header.Get(header)
	default:
		var err error
		if c.key[0], random, err = c.derive(rule); err != nil {
			return err
		}
	}

	if !random {
		if err := rule.Validate(c.key[0]); err != nil {
			return err
		}
	}

	if !random && previous == nil {
		if err := c.t.guard.Begin(c.guardKey(), c.fingerprint()); err != nil {
			return err
		}

		c.guarded = true
	}

	if header != "" {
		c.owned()[header] = c.key[:1:1]
	}

	c.safe = true

	return nil
}

// derive asks the first source that there is.
func (c *call) derive(rule keys.Rule) (key string, random bool, err error) {
	source := c.cfg.keySource
	if source == nil {
		source = c.cfg.eventKey
	}

	if source == nil {
		source, _ = keys.Request(c.ctx)
	}

	if source == nil {
		key, err = keys.UUID()(c.ctx, keys.Call{Rule: rule})

		return key, true, err
	}

	key, err = source(c.ctx, keys.Call{Operation: c.name(), Rule: rule})

	return key, false, err
}

// keyRule returns the limits of the key and the canonical name of its header.
func (c *call) keyRule() (keys.Rule, string) {
	if c.cfg.operation == nil {
		return keys.Rule{MinLength: 0, MaxLength: 0, Pattern: ""}, DefaultKeyHeader
	}

	rule := c.cfg.operation.Key

	return keys.Rule{MinLength: rule.MinLength, MaxLength: rule.MaxLength, Pattern: rule.Pattern},
		http.CanonicalHeaderKey(rule.Header)
}

// guardKey is the key within its operation, as servers scope it.
func (c *call) guardKey() string { return c.req.URL.Host + " " + c.name() + " " + c.key[0] }

var seed = maphash.MakeSeed()

// fingerprint tells requests apart. A body that can be read only once is left
// out.
func (c *call) fingerprint() uint64 {
	var h maphash.Hash

	h.SetSeed(seed)

	_, _ = h.WriteString(c.req.Method + " " + c.req.URL.Host + c.req.URL.EscapedPath() + "?" + c.req.URL.RawQuery + "\n")

	if c.body.get == nil {
		return h.Sum64()
	}

	body, err := c.body.get()
	if err != nil {
		return h.Sum64()
	}

	_, _ = io.Copy(&h, body)
	_ = body.Close()

	return h.Sum64()
}

// previousHop returns the call whose redirect led to this request.
func previousHop(req *http.Request) *call {
	if req.Response == nil || req.Response.Request == nil {
		return nil
	}

	previous, _ := req.Response.Request.Context().Value(callKey{}).(*call)

	return previous
}

// continueFrom makes the call go on where its redirect left off: under the
// same deadline, with the same key if the body came along, and without
// credentials if the host is another one.
func (c *call) continueFrom(previous *call) {
	if !previous.deadline.IsZero() && (c.deadline.IsZero() || previous.deadline.Before(c.deadline)) {
		c.deadline = previous.deadline
	}

	if c.req.Method != previous.req.Method {
		_, header := previous.keyHeader()
		delete(c.owned(), header)
	}

	if c.req.URL.Host == previous.origin() {
		return
	}

	header := c.owned()
	for _, name := range slices.Concat([]string{"Authorization", "Proxy-Authorization"}, c.cfg.credentials) {
		header.Del(name)
	}
}

// origin is the host that the caller meant.
func (c *call) origin() string {
	if c.previous != nil {
		return c.previous.origin()
	}

	return c.req.URL.Host
}

func (c *call) keyHeader() (taken bool, header string) {
	if c.cfg.operation != nil && c.cfg.operation.Key == nil {
		return false, DefaultKeyHeader
	}

	_, header = c.keyRule()

	return true, header
}
