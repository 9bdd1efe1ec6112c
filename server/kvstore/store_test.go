package kvstore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/kvstore"
	"github.com/retrysafe/retrysafe/server/storetest"
)

// bucket is a KV in memory. It can lose the confirmation of a write that it made.
type bucket struct {
	mu     sync.Mutex
	last   uint64
	values map[string]entry
	lose   int // how many confirmations to lose
}

type entry struct {
	value    []byte
	revision uint64
}

var errLost = errors.New("no confirmation")

func newBucket() *bucket { return &bucket{values: map[string]entry{}} }

func (b *bucket) put(key string, value []byte) (uint64, bool, error) {
	b.last++
	b.values[key] = entry{slices.Clone(value), b.last}
	if b.lose > 0 {
		b.lose--
		return 0, false, errLost
	}
	return b.last, true, nil
}

func (b *bucket) Create(_ context.Context, key string, value []byte) (uint64, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.values[key]; ok {
		return 0, false, nil
	}
	return b.put(key, value)
}

func (b *bucket) Update(_ context.Context, key string, value []byte, revision uint64) (uint64, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.values[key]; !ok || e.revision != revision {
		return 0, false, nil
	}
	return b.put(key, value)
}

func (b *bucket) Get(_ context.Context, key string) ([]byte, uint64, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.values[key]
	return e.value, e.revision, ok, nil
}

func (b *bucket) Delete(_ context.Context, key string, revision uint64) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.values[key]; !ok || e.revision != revision {
		return false, nil
	}
	delete(b.values, key)
	return true, nil
}

func (b *bucket) Keys(context.Context) iter.Seq2[string, error] {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := slices.Collect(maps.Keys(b.values))
	return func(yield func(string, error) bool) {
		for _, key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Harness {
		b, c := newBucket(), &clock{now: time.Unix(1_800_000_000, 0)}
		opts := kvstore.Options{Clock: c.Now, MaxValue: 1 << 20}
		return storetest.Harness{Store: kvstore.New(b, opts), Second: kvstore.New(b, opts), Advance: c.Advance}
	})
}

func request() idempotency.Request {
	return idempotency.Request{
		Scope: idempotency.Scope{Caller: "alice", Operation: "POST /orders", Key: "k"},
		Lease: time.Minute, Window: time.Hour, Resumable: true,
	}
}

// A write that was made and not confirmed counts as made: neither a claim nor an answer is lost over it.
func TestLostConfirmations(t *testing.T) {
	b := newBucket()
	s := kvstore.New(b, kvstore.Options{})
	b.lose = 1
	claim, _, err := s.Claim(t.Context(), request())
	if err != nil || claim == nil {
		t.Fatalf("claim %v, %v", claim, err)
	}
	for name, write := range map[string]func() error{
		"renew": func() error { return claim.Renew(t.Context()) },
		"advance": func() error {
			return claim.Advance(t.Context(), "a", func(context.Context) ([]byte, error) { return []byte("1"), nil })
		},
	} {
		b.lose = 1
		if err := write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.lose = 1
	if err := claim.Complete(t.Context(), idempotency.Response{Status: 201}); err != nil {
		t.Error(err)
	}
	if rec, err := s.Lookup(t.Context(), request().Scope); err != nil || rec.State != idempotency.Complete {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestAnswerOverTheBoundIsDropped(t *testing.T) {
	s := kvstore.New(newBucket(), kvstore.Options{MaxValue: 4096})
	claim, _, err := s.Claim(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.Complete(t.Context(), idempotency.Response{Status: 201, Body: []byte(strings.Repeat("x", 5000)), ResourceID: "7"}); err != nil {
		t.Fatal(err)
	}
	rec, err := s.Lookup(t.Context(), request().Scope)
	if err != nil || !rec.Response.Dropped || len(rec.Response.Body) != 0 || rec.Response.ResourceID != "7" {
		t.Errorf("%+v, %v", rec.Response, err)
	}
}

func ExampleNew() {
	store := kvstore.New(newBucket(), kvstore.Options{}) // any KV: see module natskv for NATS JetStream
	req := request()
	claim, _, _ := store.Claim(context.Background(), req)
	_ = claim.Complete(context.Background(), idempotency.Response{Status: 201, Body: []byte("order 7")})

	again, rec, _ := store.Claim(context.Background(), req)
	fmt.Println("claimed again:", again != nil)
	fmt.Println(rec.State, rec.Response.Status, string(rec.Response.Body))
	// Output:
	// claimed again: false
	// complete 201 order 7
}
