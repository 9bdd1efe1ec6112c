package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// Of the section rivals: the burst, the pool that it has, and how long the first request with the key works.
const (
	rivalBurst = 80
	rivalPool  = 70
	rivalHold  = 200 * time.Millisecond
)

// rivals of one key, in the winner's process and in another, while the winner works. Beside them the same burst of
// SELECT 1 says how much of the time is the machine's.
func rivals(ctx context.Context, s *settings) (string, error) {
	var rows [][]string
	var limits []bar
	for _, where := range []string{"same process", "another process"} {
		db, winner, err := s.database(ctx, rivalPool)
		if err != nil {
			return "", err
		}
		pool, rival := db, winner
		if where == "another process" { // which has a pool and a store of its own
			if pool, err = s.open(rivalPool); err != nil {
				return "", err
			}
			rival = sqlstore.Postgres(pool)
		}
		if err := errors.Join(warm(ctx, winner), warm(ctx, rival)); err != nil {
			return "", err
		}
		before := pool.Stats().WaitCount
		told, unrelated, err := s.rivalBursts(ctx, winner, rival, pool)
		if err != nil {
			return "", err
		}
		waits := pool.Stats().WaitCount - before
		var plain []time.Duration
		for range s.rivals {
			plain = append(plain, burst(func() bool { return one(ctx, pool) })...)
		}
		n := rivalBurst * s.rivals
		row := func(what string, all []time.Duration) {
			rows = append(rows, []string{what, where, strconv.Itoa(len(all)), quantile(all, 50).String(), quantile(all, 99).String()})
		}
		row("rivals are told", told)
		row("unrelated queries meanwhile", unrelated)
		row("SELECT 1 in place of the rivals", plain)
		p99 := quantile(told, 99)
		limits = append(limits,
			bar{"a rival's answer, " + where + ", p99", "under 15ms", p99.String(), p99 < 15*time.Millisecond && len(told) == n},
			bar{"queries that wait for a connection, " + where, "0", strconv.FormatInt(waits, 10), waits == 0})
		if err := errors.Join(pool.Close(), db.Close()); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d rivals at once on each of %d keys, while the first request works for %v; pools of %d connections.\n\n",
		rivalBurst, s.rivals, rivalHold, rivalPool) +
		table([]string{"what", "where", "times", "p50", "p99"}, rows) + bars(limits...), nil
}

func (s *settings) rivalBursts(ctx context.Context, winner, rival idempotency.Store, pool *sql.DB) (told, unrelated []time.Duration, err error) {
	for range s.rivals {
		req := request(rand.Text())
		c, _, err := winner.Claim(ctx, req)
		if err != nil || c == nil {
			return nil, nil, fmt.Errorf("not claimed: %w", err)
		}
		released := time.After(rivalHold)
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 10 {
				unrelated = append(unrelated, timed(func() bool { return one(ctx, pool) })...)
			}
		})
		told = append(told, burst(func() bool {
			other, rec, err := rival.Claim(ctx, req)
			return err == nil && other == nil && rec.State == idempotency.InFlight
		})...)
		wg.Wait()
		<-released
		if err := c.Complete(ctx, answer); err != nil {
			return nil, nil, err
		}
	}
	return told, unrelated, nil
}

// warm opens all connections of the pool and lets each claim a key, as a server does that has run for a while.
func warm(ctx context.Context, store idempotency.Store) error {
	claims := make(chan idempotency.Claim, rivalPool)
	errs := make(chan error, rivalPool)
	for range rivalPool {
		go func() {
			c, _, err := store.Claim(ctx, request(rand.Text()))
			claims <- c
			errs <- err
		}()
	}
	var err error
	held := make([]idempotency.Claim, 0, rivalPool)
	for range rivalPool {
		err = errors.Join(err, <-errs)
		if c := <-claims; c != nil {
			held = append(held, c)
		}
	}
	for _, c := range held {
		err = errors.Join(err, c.Complete(ctx, answer))
	}
	return err
}

// burst does something at once as often as there are rivals, and times what went well.
func burst(do func() bool) []time.Duration {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		all []time.Duration
	)
	for range rivalBurst {
		wg.Go(func() {
			took := timed(do)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wg.Wait()
	return all
}

func timed(do func() bool) []time.Duration {
	began := time.Now()
	if !do() {
		return nil
	}
	return []time.Duration{time.Since(began)}
}

func one(ctx context.Context, db *sql.DB) bool {
	var n int
	return db.QueryRowContext(ctx, "SELECT 1").Scan(&n) == nil
}

func quantile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[len(all)*percent/100].Round(time.Microsecond)
}
