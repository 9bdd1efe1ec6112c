package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// payments is a phased handler whose steps are counted and whose process can "die" at a step.
type payments struct {
	reserved, charged, recorded atomic.Int64
	keys                        sync.Map // foreign keys that were used
	die                         atomic.Pointer[string]
}

// dead stands for a process that is gone: it never returns and never settles.
func (p *payments) at(step string) {
	if name := p.die.Load(); name != nil && *name == step {
		p.die.Store(nil)
		<-make(chan struct{})
	}
}

func (p *payments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	p.at("start")
	_, err := idempotency.Phase(ctx, "reserve", func(context.Context) (int, error) { return int(p.reserved.Add(1)), nil })
	if err == nil {
		_, err = idempotency.Call(ctx, "charge", func(_ context.Context, key string) (string, error) {
			p.at("intent")
			p.keys.Store(key, true)
			p.charged.Add(1)
			p.at("called")
			return "ch_1", nil
		})
	}
	if err == nil {
		_, err = idempotency.Phase(ctx, "record", func(context.Context) (int, error) { return int(p.recorded.Add(1)), nil })
	}
	p.at("end")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, "paid")
}

func (p *payments) foreignKeys() (n int) {
	p.keys.Range(func(any, any) bool { n++; return true })
	return n
}

func phased(o *idempotency.Options) { o.Resumable, o.Failures = true, idempotency.ReattemptFailures }

// A request whose worker died at any point is resumed by the next attempt, exactly after the last committed phase.
func TestResume(t *testing.T) {
	for step, charged := range map[string]int64{"start": 1, "intent": 1, "called": 2, "end": 1} {
		t.Run(step, func(t *testing.T) {
			store := newStalling()
			p := &payments{}
			p.die.Store(&step)
			opts := options()
			phased(&opts)
			h := idempotency.Middleware(store, opts)(p)
			go send{keys: []string{"k"}, body: "{}"}.to(h)
			store.waitDead(t, p)
			store.Advance(time.Minute)
			if resp := (send{keys: []string{"k"}, body: "{}"}).to(h); resp.StatusCode != http.StatusCreated {
				t.Fatalf("status %d: %s", resp.StatusCode, text(t, resp))
			}
			if p.reserved.Load() != 1 || p.recorded.Load() != 1 || p.charged.Load() != charged || p.foreignKeys() != 1 {
				t.Errorf("%d reserved, %d charged, %d recorded under %d foreign keys", p.reserved.Load(), p.charged.Load(), p.recorded.Load(), p.foreignKeys())
			}
		})
	}
}

// stalling is a memory store with a clock moved by hand, so that no heartbeat of a "dead" worker counts.
type stalling struct {
	*idempotency.Memory
	mu  sync.Mutex
	now time.Time
}

func newStalling() *stalling {
	s := &stalling{now: time.Unix(1_800_000_000, 0)}
	s.Memory = idempotency.NewMemory(s.Now)
	return s
}

func (s *stalling) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *stalling) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *stalling) waitDead(t *testing.T, p *payments) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); p.die.Load() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the worker does not reach its end")
		}
	}
}

func TestCompleterFinishesWhatAClientGaveUp(t *testing.T) {
	store, p, step := newStalling(), &payments{}, "called"
	p.die.Store(&step)
	opts := options()
	phased(&opts)
	var restored atomic.Bool
	var kinds sync.Map
	opts.Hook = func(_ context.Context, e idempotency.Event) { kinds.Store(e.Kind, e) }
	h := idempotency.Middleware(store, opts)(p)
	go send{keys: []string{"k"}, body: "{}"}.to(h)
	store.waitDead(t, p)

	completer := idempotency.Completer{Store: store, Handler: h, Restore: func(ctx context.Context, rec idempotency.Record) (context.Context, error) {
		restored.Store(rec.Scope.Caller == "alice" && rec.RecoveryPoint == "charge.intent")
		return ctx, nil
	}}
	if r := completer.Once(t.Context()); r.Completed != 0 || p.recorded.Load() != 0 {
		t.Errorf("a fresh request was taken up: %v", r)
	}
	store.Advance(31 * time.Second)
	if r := completer.Once(t.Context()); r.Completed != 0 {
		t.Errorf("the client was given no time: %v", r)
	}
	store.Advance(30 * time.Second)
	if r := completer.Once(t.Context()); r.Completed != 1 || r.Errors != 0 {
		t.Errorf("report: %v", r)
	}
	if p.recorded.Load() != 1 || p.foreignKeys() != 1 || !restored.Load() {
		t.Errorf("%d recorded, restored %v", p.recorded.Load(), restored.Load())
	}
	if _, ok := kinds.Load(idempotency.EventResumed); !ok {
		t.Error("no event tells of it")
	}
	if resp := (send{keys: []string{"k"}, body: "{}"}).to(h); resp.Header.Get("Idempotent-Replayed") != "true" || text(t, resp) != "paid" {
		t.Error("the client does not find the answer")
	}
	if r := completer.Once(t.Context()); r.Completed+r.Remaining != 0 {
		t.Errorf("a finished request was taken up: %v", r)
	}
}

func TestCompleterReportsWhatItCannotFinish(t *testing.T) {
	store := newStalling()
	opts := options()
	phased(&opts)
	h := idempotency.Middleware(store, opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := idempotency.Phase(r.Context(), "reserve", func(context.Context) (int, error) { return 1, nil })
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	if resp := (send{keys: []string{"k"}, body: "{}"}).to(h); resp.StatusCode != http.StatusBadGateway {
		t.Fatalf("status %d", resp.StatusCode)
	}
	store.Advance(time.Hour)
	r := idempotency.Completer{Store: store, Handler: h}.Once(t.Context())
	if r.Remaining != 1 || !strings.Contains(r.String(), `stopped after "reserve", answered 502`) {
		t.Errorf("report: %v", r)
	}
	store.Advance(time.Hour)
	panics := idempotency.Completer{Store: store, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no") })}
	if r := panics.Once(t.Context()); r.Remaining != 1 || !strings.Contains(r.String(), "panicked: no") {
		t.Errorf("report: %v", r)
	}
	refused := idempotency.Completer{Store: store, Handler: h, Restore: func(ctx context.Context, _ idempotency.Record) (context.Context, error) {
		return ctx, errors.New("account closed")
	}}
	if r := refused.Once(t.Context()); r.Remaining != 1 || !strings.Contains(r.String(), "account closed") {
		t.Errorf("report: %v", r)
	}
}

func TestReaperReportsOrphans(t *testing.T) {
	store := newStalling()
	p, step := &payments{}, "called"
	p.die.Store(&step)
	opts := options()
	phased(&opts)
	h := idempotency.Middleware(store, opts)(p)
	go send{keys: []string{"k"}, body: "{}"}.to(h)
	store.waitDead(t, p)
	var events []idempotency.Event
	reaper := idempotency.Reaper{Store: store, RetryChain: 48 * time.Hour, Hook: func(_ context.Context, e idempotency.Event) { events = append(events, e) }}
	store.Advance(71 * time.Hour)
	if r := reaper.Once(t.Context()); len(r.Orphans) != 0 {
		t.Errorf("too early: %v", r)
	}
	store.Advance(2 * time.Hour)
	r := reaper.Once(t.Context())
	want := "1 passes: 0 completed, 0 could not be finished, 0 reaped, 1 never finished, 0 errors\n" +
		"  never finished: POST /orders of alice, key "
	if got := r.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "stopped after charge.intent") {
		t.Errorf("report: %s", got)
	}
	if len(events) != 1 || events[0].Kind != idempotency.EventOrphaned || events[0].KeyDigest == "" {
		t.Errorf("events %+v", events)
	}
	reaper.Age = 24 * time.Hour
	if err := reaper.Validate(); err == nil {
		t.Error("an age shorter than the retry chain is taken")
	}
}

func TestBackgroundRunsUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := idempotency.NewMemory(nil)
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		if r := (idempotency.Completer{Store: store, Handler: http.NotFoundHandler()}).Run(ctx); r.Passes != 3 {
			t.Errorf("completer: %v", r)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 25*time.Minute)
		defer cancel()
		if r := (idempotency.Reaper{Store: store}).Run(ctx); r.Passes != 2 {
			t.Errorf("reaper: %v", r)
		}
	})
}

func TestPhasesNeedAKey(t *testing.T) {
	_, err := idempotency.Phase(t.Context(), "a", func(context.Context) (int, error) { return 1, nil })
	if !errors.Is(err, idempotency.ErrNoPhases) {
		t.Error(err)
	}
	if _, err = idempotency.Call(t.Context(), "a", func(context.Context, string) (int, error) { return 1, nil }); !errors.Is(err, idempotency.ErrNoPhases) {
		t.Error(err)
	}
}

func TestForeignKey(t *testing.T) {
	rec := idempotency.Record{Scope: idempotency.Scope{Caller: "a", Operation: "b", Key: "c"}, Created: time.UnixMicro(1)}
	key := idempotency.ForeignKey(rec, "charge")
	if len(key) != 36 || key[14] != '8' || key != idempotency.ForeignKey(rec, "charge") {
		t.Errorf("key %s", key)
	}
	later := rec
	later.Created = time.UnixMicro(2)
	for _, other := range []string{idempotency.ForeignKey(rec, "refund"), idempotency.ForeignKey(later, "charge")} {
		if other == key {
			t.Error("another step, or another use of the client's key, has the same foreign key")
		}
	}
}

// broken fails where it is told to.
type broken struct {
	idempotency.Store
	claim, complete atomic.Bool
	lose            atomic.Bool
}

var errDown = errors.New("down")

func (b *broken) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	if b.claim.Load() {
		return nil, idempotency.Record{}, errDown
	}
	claim, rec, err := b.Store.Claim(ctx, req)
	if claim == nil {
		return nil, rec, err
	}
	return &brokenClaim{claim, b}, rec, err
}

type brokenClaim struct {
	idempotency.Claim
	b *broken
}

func (c *brokenClaim) Complete(ctx context.Context, resp idempotency.Response) error {
	switch {
	case c.b.complete.Load():
		return errDown
	case c.b.lose.Load():
		return idempotency.ErrLost
	}
	return c.Claim.Complete(ctx, resp)
}

func TestStoreTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		store := &broken{Store: idempotency.NewMemory(nil)}
		var log bytes.Buffer
		opts := options()
		opts.Hook = idempotency.Hooks(nil, idempotency.LogHook(slog.New(slog.NewTextHandler(&log, nil))))
		h := idempotency.Middleware(store, opts)(s)

		store.claim.Store(true)
		down := send{keys: []string{"secret-key-1"}}.to(h)
		if down.StatusCode != 503 || down.Header.Get("Retry-After") != "1" || codeOf(t, down) != string(idempotency.CodeStoreUnavailable) || s.effects.Load() != 0 {
			t.Errorf("the store is down: status %d, %d effects", down.StatusCode, s.effects.Load())
		}
		store.claim.Store(false)

		store.complete.Store(true) // the effect stands, so its answer is given; a repeat never runs it again
		if resp := (send{keys: []string{"secret-key-2"}}).to(h); resp.StatusCode != 201 {
			t.Errorf("an answer that was not kept: status %d", resp.StatusCode)
		}
		store.complete.Store(false)
		time.Sleep(time.Minute)
		again := send{keys: []string{"secret-key-2"}}.to(h)
		if codeOf(t, again) != string(idempotency.CodeOutcomeUnknown) || again.Header.Get("X-Should-Retry") != "false" || s.effects.Load() != 1 {
			t.Errorf("its repeat: status %d, %d effects", again.StatusCode, s.effects.Load())
		}

		store.lose.Store(true) // the claim passed on, and the other worker is still at it
		if resp := (send{keys: []string{"secret-key-3"}}).to(h); codeOf(t, resp) != string(idempotency.CodeInProgress) {
			t.Errorf("a lost claim: status %d", resp.StatusCode)
		}
		for _, kind := range []string{"store_error", "unknown", "lost"} {
			if !strings.Contains(log.String(), "idempotency "+kind) {
				t.Errorf("no word about %s in the log", kind)
			}
		}
		if strings.Contains(log.String(), "secret-key") {
			t.Error("the log spells a key")
		}
	})
}
