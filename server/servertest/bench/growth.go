package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// growth claims in a table that grows and, turn by turn with it, in one that stays empty, so that what the machine does
// meanwhile hits both.
func growth(ctx context.Context, s *settings) (string, error) {
	emptyDB, empty, err := s.database(ctx, 1)
	if err != nil {
		return "", err
	}
	grownDB, grown, err := s.database(ctx, 1)
	if err != nil {
		return "", err
	}
	var rows [][]string
	var last float64
	have := 0
	for _, size := range []int{0, s.growth / 100, s.growth / 10, s.growth} {
		if err := grow(ctx, grownDB, have, size); err != nil {
			return "", err
		}
		have = size
		if _, err := growthCosts(ctx, empty, grown, s.claims/4+1); err != nil { // what a server's caches would hold
			return "", err
		}
		took, err := growthCosts(ctx, empty, grown, s.claims)
		if err != nil {
			return "", err
		}
		var sizes, indexes string
		err = grownDB.QueryRowContext(ctx, `SELECT pg_size_pretty(pg_table_size('retrysafe_records')), pg_size_pretty(pg_indexes_size('retrysafe_records'))`).Scan(&sizes, &indexes)
		if err != nil {
			return "", err
		}
		last = float64(quantile(took[1], 50)) / float64(quantile(took[0], 50))
		rows = append(rows, []string{
			strconv.Itoa(have), sizes, indexes, quantile(took[1], 50).String(), quantile(took[1], 99).String(),
			quantile(took[0], 50).String(), quantile(took[0], 99).String(), fmt.Sprintf("%.2f", last),
		})
	}
	text := table([]string{"records", "table", "indexes", "claim, p50", "p99", "empty table, p50", "p99", "ratio of p50"}, rows) +
		bars(bar{fmt.Sprintf("a claim among %d records beside one in an empty table", have), "at most 1.25", fmt.Sprintf("%.2f", last), last <= 1.25})
	return text, errors.Join(emptyDB.Close(), grownDB.Close())
}

// grow adds records as random keys leave them: the primary key is built anew, with pages as full as inserts in random
// order leave them (ln 2, as theory and practice of B-trees have it).
func grow(ctx context.Context, db *sql.DB, have, size int) error {
	statements := []string{
		`ALTER TABLE retrysafe_records DROP CONSTRAINT retrysafe_records_pkey`,
		`INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, expires, status, header, body)
SELECT encode(substr(sha256(('g' || n)::bytea), 1, 16), 'hex')::uuid, 'acct_' || n % 1000, 'POST /charges', 'key-0123456789-0123456789-' || n, sha256(n::text::bytea), 'complete',
    substr(sha256(n::text::bytea), 1, 16), n, n + 1, 9000000000000000, 201, E'Content-Type: application/json\nLocation: /charges/ch_0123456789\n',
    '{"id":"ch_0123456789","amount":1000,"currency":"eur","status":"paid"}'
FROM generate_series(` + strconv.Itoa(have+1) + `::bigint, ` + strconv.Itoa(size) + `) AS n`,
		`ALTER TABLE retrysafe_records ADD PRIMARY KEY (scope) WITH (fillfactor = 69)`,
		`VACUUM ANALYZE retrysafe_records`,
		`CHECKPOINT`,
		// A table in use has its index in the machine's memory: 70 bytes for each record.
		`BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
SELECT count(*) FROM retrysafe_records WHERE scope >= '00000000-0000-0000-0000-000000000000'; COMMIT`,
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// growthCosts claims n new keys in each store, in turns of random order.
func growthCosts(ctx context.Context, empty, grown idempotency.Store, n int) (took [2][]time.Duration, err error) {
	stores := [2]idempotency.Store{empty, grown}
	for range n {
		for _, i := range mathrand.Perm(2) {
			began := time.Now()
			c, _, err := stores[i].Claim(ctx, request(rand.Text()))
			if err != nil || c == nil {
				return took, fmt.Errorf("not claimed: %w", err)
			}
			took[i] = append(took[i], time.Since(began))
			// Only the claim is timed; one in ten is kept, so that the grown table does what a table in use does.
			if len(took[i])%10 != 0 {
				err = c.Release(ctx)
			} else {
				err = c.Complete(ctx, idempotency.Response{Status: http.StatusNoContent})
			}
			if err != nil {
				return took, err
			}
		}
	}
	return took, nil
}
