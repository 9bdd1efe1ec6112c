package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

func replay(ctx context.Context, s *settings) error {
	for _, clients := range []int{1, 16} {
		db, store, err := s.database(ctx, clients)
		if err != nil {
			return err
		}
		requests := make([]idempotency.Request, 1000)
		for i := range requests {
			requests[i] = request(rand.Text())
			if err := charge(ctx, store, requests[i]); err != nil {
				return err
			}
		}
		other := sqlstore.Postgres(db) // as on a replica that has not seen these keys
		read := "SELECT fingerprint, status, header, body FROM retrysafe_records WHERE scope = $1"
		variants := []variant{
			{"SELECT by key", func(ctx context.Context) error {
				digest := requests[mathrand.IntN(len(requests))].Scope.Digest()
				var status int
				var fingerprint, header, body []byte
				return db.QueryRowContext(ctx, read, digest[:]).Scan(&fingerprint, &status, &header, &body)
			}},
			{"replay", func(ctx context.Context) error { return again(ctx, store, requests[mathrand.IntN(len(requests))]) }},
			{"replay on another replica", func(ctx context.Context) error {
				return again(ctx, other, requests[mathrand.IntN(len(requests))])
			}},
		}
		rates, err := s.compare(ctx, clients, variants)
		if err != nil {
			return err
		}
		s.print(clients, variants, rates)
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}

func again(ctx context.Context, store idempotency.Store, req idempotency.Request) error {
	c, rec, err := store.Claim(ctx, req)
	if err != nil || c != nil || rec.State != idempotency.Complete {
		return fmt.Errorf("no replay: %v, %w", rec.State, err)
	}
	return nil
}

// rivals of one key, in one process and in another, while the first works for 200 ms.
func rivals(ctx context.Context, s *settings) error {
	const pool, n, keys, hold = 70, 80, 10, 200 * time.Millisecond
	for _, where := range []string{"same process", "another process"} {
		db, store, err := s.database(ctx, pool)
		if err != nil {
			return err
		}
		rival := store
		if where == "another process" {
			rival = sqlstore.Postgres(db)
		}
		var mu sync.Mutex
		var told, unrelated []time.Duration
		for range keys {
			req := request(rand.Text())
			c, _, err := store.Claim(ctx, req)
			if err != nil || c == nil {
				return fmt.Errorf("not claimed: %w", err)
			}
			released := time.After(hold)
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					began := time.Now()
					other, rec, err := rival.Claim(ctx, req)
					took := time.Since(began)
					mu.Lock()
					defer mu.Unlock()
					if err == nil && other == nil && rec.State == idempotency.InFlight {
						told = append(told, took)
					}
				})
			}
			wg.Go(func() {
				for range 10 {
					began := time.Now()
					var one int
					if db.QueryRowContext(ctx, "SELECT 1").Scan(&one) == nil {
						unrelated = append(unrelated, time.Since(began))
					}
				}
			})
			wg.Wait()
			<-released
			if err := c.Complete(ctx, answer); err != nil {
				return err
			}
		}
		slices.Sort(told)
		slices.Sort(unrelated)
		fmt.Fprintf(s.out, "%d rivals of one key, %-16s told in p50 %v, p99 %v (%d of %d); an unrelated query p50 %v, max %v; %d waits for a connection\n",
			n, where, told[len(told)/2].Round(10*time.Microsecond), told[len(told)*99/100].Round(10*time.Microsecond), len(told), n*keys,
			unrelated[len(unrelated)/2].Round(10*time.Microsecond), unrelated[len(unrelated)-1].Round(10*time.Microsecond), db.Stats().WaitCount)
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}

// growth claims in tables of growing size.
func growth(ctx context.Context, s *settings) error {
	db, store, err := s.database(ctx, 4)
	if err != nil {
		return err
	}
	defer db.Close()
	fill := `INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, lease_until, expires, status, header, body)
SELECT sha256(('g' || n)::bytea), 'acct_' || n % 1000, 'POST /charges', 'key-' || n, sha256(n::text::bytea), 'complete', substr(sha256(n::text::bytea), 1, 16), 1, 1, 0, 9000000000000000, 201, '{}', $3
FROM generate_series($1::bigint, $2::bigint) AS n`
	have := 0
	for _, size := range []int{0, s.growth / 100, s.growth / 10, s.growth} {
		for have < size {
			next := min(size, have+200_000)
			if _, err := db.ExecContext(ctx, fill, have+1, next, answer.Body); err != nil {
				return err
			}
			have = next
		}
		if _, err := db.ExecContext(ctx, "CHECKPOINT"); err != nil {
			return err
		}
		var took []time.Duration
		for range 300 {
			began := time.Now()
			c, _, err := store.Claim(ctx, request(rand.Text()))
			if err != nil || c == nil {
				return fmt.Errorf("not claimed: %w", err)
			}
			took = append(took, time.Since(began))
			if err := c.Complete(ctx, idempotency.Response{Status: http.StatusNoContent}); err != nil {
				return err
			}
		}
		slices.Sort(took)
		fmt.Fprintf(s.out, "%9d records: a claim takes p50 %v, p99 %v\n", have, took[150].Round(time.Microsecond), took[297].Round(time.Microsecond))
	}
	return nil
}
