package gates_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/servertest/shop"
)

// Many rivals for each key, on three servers, arriving together or shortly after one another: one effect each.
func TestConcurrency(t *testing.T) {
	rivals, keys := full(50, 12), full(200, 8)
	const postgres, late = shop.Postgres, shop.Late
	all := open(t, time.Hour, postgres, postgres, postgres, late, late, late)
	for _, c := range []struct {
		path, kinds string
		shops       []int
	}{
		{"/orders", postgres, []int{0, 1, 2}},
		{"/payments", postgres, []int{0, 1, 2}},
		{"/orders", late, []int{3, 4, 5}},
		{"/orders", "mixed", []int{3, 0, 4}}, // as while replicas are replaced
	} {
		path, s := c.path, all.of(c.shops...)
		first := s.usual(t, path)
		gaps := []time.Duration{0, 100 * time.Microsecond, 500 * time.Microsecond, 2 * time.Millisecond, 10 * time.Millisecond, first / 2, first, first * 3 / 2}
		for _, gap := range gaps {
			t.Run(fmt.Sprintf("%s, %s, %v apart", path[1:], c.kinds, gap.Round(10*time.Microsecond)), func(t *testing.T) {
				statuses, p99, markers := s.race(t, path, rivals, keys, gap)
				for status := range statuses {
					if status != 201 && status != 409 {
						t.Errorf("%d answers of status %d", statuses[status], status)
					}
				}
				if wrong := s.wrong(t, markers, path == "/payments"); len(wrong) > 0 {
					t.Errorf("%d of %d keys: %q", len(wrong), keys, wrong)
				}
				t.Logf("%d keys x %d rivals: answers %v, 99 of 100 within %v, one effect each", keys, rivals, statuses, p99.Round(100*time.Microsecond))
			})
		}
	}
}

// usual is the median time of an answer without rivals.
func (s *site) usual(t *testing.T, path string) time.Duration {
	t.Helper()
	took := make([]time.Duration, 0, 21)
	for i := range cap(took) {
		r := s.send(t.Context(), s.shops[i%len(s.shops)], path, newKey())
		if r.status != 201 {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
		took = append(took, r.took)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func (s *site) race(t *testing.T, path string, rivals, keys int, gap time.Duration) (statuses map[int]int, p99 time.Duration, markers []string) {
	t.Helper()
	var (
		mu   sync.Mutex
		took []time.Duration
		wg   sync.WaitGroup
		slot = make(chan struct{}, 4)
	)
	statuses = map[int]int{}
	for range keys {
		key := newKey()
		markers = append(markers, key)
		slot <- struct{}{}
		wg.Go(func() {
			defer func() { <-slot }()
			bodies := map[string]bool{}
			var rivalry sync.WaitGroup
			start := time.Now()
			for i := range rivals {
				rivalry.Go(func() {
					until(start.Add(time.Duration(i) * gap))
					r := s.send(t.Context(), s.shops[i%len(s.shops)], path, key)
					mu.Lock()
					defer mu.Unlock()
					statuses[r.status]++
					if r.status != 201 && r.status != 409 {
						t.Logf("key %s: status %d after %v: %s", key, r.status, r.took, r.body)
					}
					took = append(took, r.took)
					if r.status == 201 {
						bodies[r.body] = true
					}
				})
			}
			rivalry.Wait()
			if len(bodies) != 1 {
				t.Errorf("key %s has %d different answers", key, len(bodies))
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return statuses, took[len(took)*99/100], markers
}

// until waits for a moment more exactly than a timer does.
func until(moment time.Time) {
	if d := time.Until(moment) - time.Millisecond; d > 0 {
		time.Sleep(d)
	}
	for time.Now().Before(moment) {
	}
}
