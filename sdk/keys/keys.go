// Package keys makes idempotency keys: what names one intended effect on the
// server, so that the second arrival of a request can be told from a second
// wish.
//
// The best key comes from the event that causes the call ([Event]): after a
// crash the same event makes the same key, and the effect is not repeated. A
// key scoped to an incoming request ([WithRequest]) survives a redelivery of
// that request. A random key ([UUID]) covers the retries of one call only.
//
// A key never holds a secret: servers and proxies log it.
package keys

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Call is the call that a key is made for.
type Call struct {
	// Operation names the operation, for example its operationId.
	Operation string
	// Rule holds the limits of the operation's keys.
	Rule Rule
}

// Source makes the key of one call. It is asked once for each call, before
// the first attempt.
type Source func(ctx context.Context, call Call) (string, error)

// ErrEmptyPart is returned by an event source when a part that tells one
// event from another is empty.
var ErrEmptyPart = errors.New("keys: an event key needs every part")

// UUID returns a source of random version 4 UUIDs, 36 characters each, which
// fit nearly every vendor's limit. Where they do not fit, the 32 hexadecimal
// digits without the dashes are used.
func UUID() Source {
	return newUUID
}

func newUUID(_ context.Context, call Call) (string, error) {
	var id uuid.UUID

	// crypto/rand.Read never fails, and unlike uuid.NewRandom, which reads
	// through an interface, it leaves id on the stack.
	_, _ = rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80

	key := id.String()
	if call.Rule.fits(key) {
		return key, nil
	}

	key = hex.EncodeToString(id[:])

	return key, call.Rule.Validate(key)
}

// Event returns a source that derives the key from what happened: the same
// operation and parts always give the same key, in every process. operation
// is the readable head of the key, for example "order-confirm"; the parts are
// what tells one event from another, for example the order's number.
//
// The key reads "order-confirm-1042", or "refund-1042--2" with two parts, when
// the parts are plain and it fits the operation's limits. Otherwise the parts are hashed, never cut. A part must
// not be a secret. An empty part is [ErrEmptyPart].
func Event(operation string, parts ...string) Source {
	return func(_ context.Context, call Call) (string, error) {
		return derive(operation, parts, call.Rule)
	}
}

func derive(operation string, parts []string, rule Rule) (string, error) {
	if operation == "" && len(parts) == 0 || slices.Contains(parts, "") {
		return "", ErrEmptyPart
	}

	if readable(operation, parts) {
		key := operation + "-" + strings.Join(parts, "--")
		if rule.fits(key) {
			return key, nil
		}
	}

	sum := digest(operation, parts)
	if plain(operation, true) {
		if key := operation + "-" + sum[:32]; rule.fits(key) {
			return key, nil
		}
	}

	if rule.fits(sum) {
		return sum, nil
	}

	if key := asUUID(operation, parts); rule.fits(key) {
		return key, nil
	}

	return sum[:32], rule.Validate(sum[:32])
}

// readable reports whether joining the parts by two dashes gives a key that no
// other parts give.
func readable(operation string, parts []string) bool {
	if !plain(operation, true) {
		return false
	}

	if len(parts) == 1 {
		return plain(parts[0], true) && !strings.Contains(parts[0], "--")
	}

	for _, part := range parts {
		if !plain(part, false) {
			return false
		}
	}

	return len(parts) > 0
}

func plain(s string, dash bool) bool {
	for i := range len(s) {
		c := s[i]

		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.':
		case c == '-' && dash:
		default:
			return false
		}
	}

	return s != ""
}

// digest hashes the parts with their lengths, so that no two lists of parts
// run together.
func digest(operation string, parts []string) string {
	return hex.EncodeToString(sum(operation, parts))
}

func sum(operation string, parts []string) []byte {
	h := sha256.New()

	for _, part := range append([]string{operation}, parts...) {
		_, _ = h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}

	return h.Sum(nil)
}

// namespace keeps the name-based UUIDs of this package apart from others.
var namespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/retrysafe/retrysafe"))

// asUUID is for operations that take nothing but a UUID.
func asUUID(operation string, parts []string) string {
	return uuid.NewHash(sha256.New(), namespace, sum(operation, parts), 8).String()
}
