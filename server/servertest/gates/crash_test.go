package gates_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/servertest/shop"
)

const crashLease = 700 * time.Millisecond

// clients keep sending orders and payments, each with a key of its own until it has its answer.
type clients struct {
	site *site
	stop atomic.Bool

	lastKill atomic.Int64
	selfKill atomic.Bool // some first attempts ask the server to die at a point

	mu       sync.Mutex
	orders   []string
	payments []string
	attempts int
	stuck    []string
	slowest  time.Duration
}

func (c *clients) run(ctx context.Context, n int) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for !c.stop.Load() && ctx.Err() == nil {
				c.one(ctx)
			}
		})
	}
	return &wg
}

var points = []string{"start", "intent", "called", "end"}

func (c *clients) one(ctx context.Context) {
	key, path := newKey(), "/payments"
	var faults []string
	if rand.IntN(3) == 0 {
		path = "/orders"
	}
	if c.selfKill.Load() && rand.IntN(12) == 0 {
		point := points[rand.IntN(len(points))]
		if path == "/orders" {
			point = "effect"
		}
		faults = []string{"kill_at", point}
	}
	began := time.Now()
	waiting := began
	for attempt := 0; ctx.Err() == nil; attempt++ {
		r := c.site.send(ctx, c.site.shops[rand.IntN(len(c.site.shops))], path, key, faults...)
		faults = nil
		c.mu.Lock()
		c.attempts++
		c.mu.Unlock()
		switch r.status {
		case 201:
			c.mu.Lock()
			if path == "/orders" {
				c.orders = append(c.orders, key)
			} else {
				c.payments = append(c.payments, key)
			}
			c.slowest = max(c.slowest, time.Since(began))
			c.mu.Unlock()
			return
		case 409: // told to wait: not for longer than a lease after the last crash, and some for the work itself
			since := max(waiting.UnixNano(), c.lastKill.Load())
			if waited := time.Duration(time.Now().UnixNano() - since); waited > crashLease+10*time.Second {
				c.mu.Lock()
				c.stuck = append(c.stuck, key)
				c.mu.Unlock()
				return
			}
		default:
			waiting = time.Now()
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *clients) check(t *testing.T, kills int) {
	t.Helper()
	for _, wrong := range c.site.wrong(t, c.orders, false) {
		t.Error(wrong)
	}
	for _, wrong := range c.site.wrong(t, c.payments, true) {
		t.Error(wrong)
	}
	if len(c.stuck) > 0 {
		t.Errorf("%d keys were stuck past their lease: %q", len(c.stuck), c.stuck)
	}
	var left int
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := c.site.db.QueryRow("SELECT count(*) FROM retrysafe_records WHERE state = 'in_flight'").Scan(&left)
		if (err == nil && left == 0) || time.Now().After(end) {
			break
		}
	}
	if left > 0 {
		t.Errorf("%d records are still in flight", left)
	}
	calls, made := c.site.ledger.Calls()
	t.Logf("%d kills; %d orders and %d payments in %d attempts: one effect each; the foreign system made %d charges and collapsed %d repeats; the slowest took %v",
		kills, len(c.orders), len(c.payments), c.attempts, made, calls-made, c.slowest.Round(time.Millisecond))
}

// The server dies at every phase boundary and at random, again and again. Every second life of it claims late.
func TestServerCrashes(t *testing.T) {
	s := open(t, crashLease, shop.Postgres)
	c := &clients{site: s}
	c.selfKill.Store(true)
	wg := c.run(t.Context(), 8)
	server := s.shops[0]
	want := full(500, 15)
	for i := range want {
		select {
		case <-server.Gone(): // killed itself at a point
		case <-time.After(time.Duration(50+rand.IntN(450)) * time.Millisecond):
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		c.lastKill.Store(time.Now().UnixNano())
		server.SetKind([]string{shop.Late, shop.Postgres}[i%2])
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	c.selfKill.Store(false)
	c.stop.Store(true)
	keepAlive(t, c, wg)
	c.check(t, want)
}

// keepAlive restarts the server until all clients have their answers.
func keepAlive(t *testing.T, c *clients, wg *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	for {
		server := c.site.shops[0]
		select {
		case <-done:
			return
		case <-server.Gone():
			c.lastKill.Store(time.Now().UnixNano())
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The database dies while three servers work.
func TestDatabaseCrashes(t *testing.T) {
	s := open(t, crashLease, shop.Postgres, shop.Late, shop.Late)
	c := &clients{site: s}
	wg := c.run(t.Context(), 8)
	want := full(20, 2)
	for range want {
		time.Sleep(time.Duration(300+rand.IntN(700)) * time.Millisecond)
		if err := s.cluster.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := s.cluster.Start(); err != nil {
			t.Fatal(err)
		}
		c.lastKill.Store(time.Now().UnixNano())
	}
	c.stop.Store(true)
	wg.Wait()
	c.check(t, want)
}

// A winner that is stopped (SIGSTOP) and woken after another took over cannot commit.
func TestPausedWinner(t *testing.T) {
	all := open(t, crashLease, shop.Postgres, shop.Postgres, shop.Late, shop.Late)
	for _, c := range []struct {
		path, kind string
		shops      []int
	}{{"/orders", shop.Postgres, []int{0, 1}}, {"/orders", shop.Late, []int{2, 3}}, {"/payments", shop.Postgres, []int{0, 1}}} {
		path, s := c.path, all.of(c.shops...)
		t.Run(path[1:]+", "+c.kind, func(t *testing.T) {
			var markers []string
			paused, want := 0, full(20, 3)
			for len(markers) < 2*want && paused < want {
				key := newKey()
				markers = append(markers, key)
				first := make(chan reply, 1)
				go func() { first <- s.send(t.Context(), s.shops[0], path, key, "slow", "600") }()
				time.Sleep(150 * time.Millisecond)
				if c.kind != shop.Late { // where a rival in another process is not told, and goes ahead
					if r := s.send(t.Context(), s.shops[1], path, key); r.status != 409 {
						<-first // the rival was faster, or came too late: on a busy machine
						continue
					}
				}
				paused++
				if err := s.shops[0].Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				var second reply
				for end := time.Now().Add(crashLease + 10*time.Second); second.status != 201 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
					second = s.send(t.Context(), s.shops[1], path, key)
				}
				if err := s.shops[0].Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
				if second.status != 201 {
					t.Fatalf("nobody could take over: %d %s", second.status, second.body)
				}
				woken := <-first
				if woken.status == 201 && woken.body != second.body {
					t.Errorf("the woken winner answers %s, the one who took over answered %s", woken.body, second.body)
				}
				if again := s.send(t.Context(), s.shops[0], path, key); again.status != 201 || again.body != second.body || !again.replayed {
					t.Errorf("a repeat gets %d %s", again.status, again.body)
				}
			}
			if wrong := s.wrong(t, markers, path == "/payments"); len(wrong) > 0 {
				t.Errorf("%q", wrong)
			}
			if paused < want {
				t.Errorf("only %d winners could be paused", paused)
			}
			t.Logf("%d winners paused and woken: one effect each", paused)
		})
	}
}
