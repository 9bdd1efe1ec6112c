package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

func replay(ctx context.Context, s *settings) (string, error) {
	var rows [][]string
	var limits []bar
	for _, clients := range []int{1, 16} {
		db, store, err := s.database(ctx, clients)
		if err != nil {
			return "", err
		}
		requests := make([]idempotency.Request, 1000)
		for i := range requests {
			requests[i] = request(rand.Text())
			if err := charge(ctx, store, requests[i], atOnce); err != nil {
				return "", err
			}
		}
		other := sqlstore.Postgres(db) // as on a replica that has not seen these keys
		read := "SELECT fingerprint, status, header, body FROM retrysafe_records WHERE scope = $1"
		variants := []variant{
			{"SELECT by key", func(ctx context.Context) error {
				digest := requests[mathrand.IntN(len(requests))].Scope.Digest()
				scope := hex.EncodeToString(digest[:16])
				var status int
				var fingerprint, header, body []byte
				return db.QueryRowContext(ctx, read, scope).Scan(&fingerprint, &status, &header, &body)
			}},
			{"replay", func(ctx context.Context) error { return again(ctx, store, requests[mathrand.IntN(len(requests))]) }},
			{"replay on another replica", func(ctx context.Context) error {
				return again(ctx, other, requests[mathrand.IntN(len(requests))])
			}},
		}
		results, err := s.compare(ctx, clients, variants)
		if err != nil {
			return "", err
		}
		rows = append(rows, comparison(clients, variants, results)...)
		limits = append(limits, atLeast(fmt.Sprintf("replay, %d clients", clients), 0.9, results[1], results[0]))
		if err := db.Close(); err != nil {
			return "", err
		}
	}
	return table(comparisonHeader, rows) + bars(limits...), nil
}

func again(ctx context.Context, store idempotency.Store, req idempotency.Request) error {
	c, rec, err := store.Claim(ctx, req)
	if err != nil || c != nil || rec.State != idempotency.Complete {
		return fmt.Errorf("no replay: %v, %w", rec.State, err)
	}
	return nil
}
