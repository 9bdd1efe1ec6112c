package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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
func rivals(ctx context.Context, s *settings) error {
	for _, where := range []string{"same process", "another process"} {
		db, winner, err := s.database(ctx, rivalPool)
		if err != nil {
			return err
		}
		pool, rival := db, winner
		if where == "another process" { // which has a pool and a store of its own
			if pool, err = s.open(rivalPool); err != nil {
				return err
			}
			rival = sqlstore.Postgres(pool)
		}
		if err := errors.Join(warm(ctx, winner), warm(ctx, rival)); err != nil {
			return err
		}
		before := pool.Stats().WaitCount
		told, unrelated, err := s.rivalBursts(ctx, winner, rival, pool)
		if err != nil {
			return err
		}
		waits := pool.Stats().WaitCount - before
		plain := burst(func() bool { return one(ctx, pool) })
		for range s.rivalKeys - 1 {
			plain = append(plain, burst(func() bool { return one(ctx, pool) })...)
		}
		n := rivalBurst * s.rivalKeys
		fmt.Fprintf(s.out, "%-16s %d rivals on each of %d keys: told in p50 %v, p99 %v (%d of %d); an unrelated query p50 %v, p99 %v; %d waits for a connection\n",
			where, rivalBurst, s.rivalKeys, quantile(told, 50), quantile(told, 99), len(told), n, quantile(unrelated, 50), quantile(unrelated, 99), waits)
		fmt.Fprintf(s.out, "%-16s bursts of %d SELECT 1 instead: p50 %v, p99 %v\n", "", rivalBurst, quantile(plain, 50), quantile(plain, 99))
		if err := errors.Join(pool.Close(), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) rivalBursts(ctx context.Context, winner, rival idempotency.Store, pool *sql.DB) (told, unrelated []time.Duration, err error) {
	for range s.rivalKeys {
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
	return slices.Sorted(slices.Values(all))[len(all)*percent/100].Round(10 * time.Microsecond)
}
