package idempotency

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Errors that stores return. All others mean that the store could not be asked.
var (
	// ErrNotFound says that no live record has the scope.
	ErrNotFound = errors.New("idempotency: no such record")
	// ErrLost says that the claim has passed to another worker: the write that met it was not made.
	ErrLost = errors.New("idempotency: claim lost to another worker")
	// ErrUndone says that the answer cannot be kept together with the handler's writes, because those are undone
	// already (a transaction that failed inside the handler). Nothing of the request took effect.
	ErrUndone = errors.New("idempotency: the handler's writes were undone")
	// ErrNoPhases says that the store finishes a request in one step and has no recovery points.
	ErrNoPhases = errors.New("idempotency: store has no recovery points")
)

// Scope names a record: one key of one caller for one operation.
type Scope struct {
	// Caller is the authenticated caller as the owner's function names it.
	Caller string
	// Operation names what is asked for, by default the method and the route.
	Operation string
	// Key is the client's, unquoted.
	Key string
}

// Digest is the SHA-256 of the three parts, each with its length before it, so that no separator inside a part can
// make two scopes meet. Stores use it where they need a name of fixed size.
func (s Scope) Digest() [sha256.Size]byte {
	var room [384]byte // on the stack, and enough as a rule
	buf := room[:0]
	for _, part := range [...]string{s.Caller, s.Operation, s.Key} {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(part))) //nolint:gosec // header lines are far below 4 GiB
		buf = append(buf, part...)
	}
	return sha256.Sum256(buf)
}

// State is where a record stands. The zero value is not a state.
type State string

// The states of a record that exists.
const (
	// InFlight means claimed, and not answered yet.
	InFlight State = "in_flight"
	// Complete means answered: the answer is final.
	Complete State = "complete"
)

// Token is the fencing token of one claim: random, so that it stays unique when a record is deleted and made again.
type Token [16]byte

// NewToken draws a token from the system's random source.
func NewToken() Token {
	var t Token
	_, _ = rand.Read(t[:]) // crypto/rand.Read never returns an error
	return t
}

// String is the token in hexadecimal.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// MarshalText writes the token in hexadecimal.
func (t Token) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, t[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Token) UnmarshalText(text []byte) error { return unmarshalHex(t[:], text) }

// unmarshalHex fills the whole of dst.
func unmarshalHex(dst, text []byte) error {
	if hex.DecodedLen(len(text)) != len(dst) {
		return fmt.Errorf("idempotency: %d hexadecimal digits, want %d", len(text), hex.EncodedLen(len(dst)))
	}
	_, err := hex.Decode(dst, text)
	return err
}

// Response is a kept answer.
type Response struct {
	// Status is the HTTP status.
	Status int
	// Header holds only what may be replayed.
	Header http.Header
	// Body holds the bytes as the handler wrote them. Nil when Dropped.
	Body []byte
	// Dropped says that the body was over the bound and is not kept: the effect stands, the answer does not.
	Dropped bool
	// ResourceID is what the handler named with [SetResource], if anything. Claim may leave it out of a record whose body
	// is kept: it is told in place of a body.
	ResourceID string
}

// Record is what a store knows about a scope.
type Record struct {
	Scope       Scope
	Fingerprint Fingerprint
	State       State
	// Token belongs to the claim in force, or to the one that completed the record.
	Token Token
	// Created is when the key was first claimed, LockedAt when the claim in force was made. Zero when the store
	// cannot tell (a claim that lives in an uncommitted transaction).
	Created, LockedAt time.Time
	// LeaseUntil ends the claim in force unless it is renewed. Zero: the claim ends with its worker.
	LeaseUntil time.Time
	// Abandoned is the store's own judgement, by its own clock, that the lease of an in-flight record is over.
	Abandoned bool
	// RecoveryPoint is the name of the last phase that was committed, and Steps the results by phase.
	RecoveryPoint string
	Steps         map[string][]byte
	// Payload is the request as it was claimed, for a completer. Only resumable requests have one.
	Payload []byte
	// Response is the answer of a complete record.
	Response Response
	// Expires is when a complete record stops being replayed. Claim may leave it zero: a record that it returns is live.
	Expires time.Time
}

// Request asks a store for a claim.
type Request struct {
	Scope       Scope
	Fingerprint Fingerprint
	// Lease is how long the claim holds without being renewed.
	Lease time.Duration
	// Window is how long the answer is replayed, from completion on.
	Window time.Duration
	// Resumable allows the claim of an abandoned record with the same fingerprint to be taken over.
	Resumable bool
	// Payload is kept with a resumable claim.
	Payload []byte
}

// Store keeps records. Implementations are safe for concurrent use and pass storetest.Run.
type Store interface {
	// Claim makes an in-flight record in one atomic step, and only if there is no live record of the scope; or, when
	// the request is resumable, takes over an abandoned record that has the same fingerprint. A complete record past
	// its window is not live. The Claim is nil when it was not given; the Record is then the one that stands in the
	// way, else the claimed one. An error means that nothing was claimed and that nothing is known.
	Claim(ctx context.Context, req Request) (Claim, Record, error)
	// Lookup reads a live record, or returns ErrNotFound.
	Lookup(ctx context.Context, scope Scope) (Record, error)
}

// Claim is the right to run the handler once. Exactly one of Complete, Fail and Release ends it. Every method that
// writes is fenced: once another worker has taken over, it returns ErrLost and changes nothing.
type Claim interface {
	// Record is the record as it was when the claim was made.
	Record() Record
	// Bind returns a context through which the handler reaches what the store offers it, such as its transaction.
	Bind(ctx context.Context) context.Context
	// Atomic says that Fail and Release undo what the handler wrote through Bind's context, and that a crash does so
	// as well. Such a claim has no lease.
	Atomic() bool
	// Renew starts the lease anew.
	Renew(ctx context.Context) error
	// Advance runs fn, keeps its result under the name and makes that name the recovery point, in one transaction where
	// the store has them. It may run fn again after a serialization failure. When fn fails nothing is kept.
	Advance(ctx context.Context, name string, fn func(ctx context.Context) ([]byte, error)) error
	// Complete keeps the answer, together with what the handler wrote.
	Complete(ctx context.Context, resp Response) error
	// Fail keeps the answer and undoes what the handler wrote, where the claim is atomic.
	Fail(ctx context.Context, resp Response) error
	// Release forgets the claim: the key is absent again, or, when a phase was committed, abandoned at once.
	Release(ctx context.Context) error
}
