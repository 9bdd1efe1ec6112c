package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

const abandonedStatement = `SELECT ` + columns + `, {now}, caller, operation, key FROM retrysafe_records
WHERE state = 'in_flight' AND lease_until <= {now} - $2 AND length(payload) > 0 ORDER BY lease_until LIMIT $3`

// Abandoned implements idempotency.Sweeper.
func (s *Store) Abandoned(ctx context.Context, grace time.Duration, limit int) ([]idempotency.Record, error) {
	records, err := s.list(ctx, s.sql.abandoned, grace.Microseconds(), limit)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: list abandoned records: %w", err)
	}
	return records, nil
}

const deadRecords = `created <= {now} - $2 AND ((state = 'complete' AND expires <= {now}) OR (state = 'in_flight' AND lease_until <= {now}))`

// Rows that another reaper is at are skipped. SQLite has one writer at a time and needs no such word.
const reapStatement = `DELETE FROM retrysafe_records WHERE scope IN (SELECT scope FROM retrysafe_records WHERE ` + deadRecords + ` LIMIT $3{skip})
AND ` + deadRecords + ` RETURNING ` + columns + `, {now}, caller, operation, key`

// Reap implements idempotency.Sweeper.
func (s *Store) Reap(ctx context.Context, age time.Duration, limit int) (idempotency.Reaped, error) {
	records, err := s.list(ctx, s.sql.reap, age.Microseconds(), limit)
	if err != nil {
		return idempotency.Reaped{}, fmt.Errorf("sqlstore: reap: %w", err)
	}
	var reaped idempotency.Reaped
	for _, rec := range records {
		if rec.State == idempotency.Complete {
			reaped.Complete++
			continue
		}
		reaped.Orphans = append(reaped.Orphans, rec)
	}
	return reaped, nil
}

func (s *Store) list(ctx context.Context, statement string, args ...any) (_ []idempotency.Record, err error) {
	rows, err := s.db.QueryContext(ctx, statement, append([]any{s.now()}, args...)...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	var out []idempotency.Record
	for rows.Next() {
		var scope idempotency.Scope
		rec, _, err := scanRecord(rows, scope, &scope.Caller, &scope.Operation, &scope.Key)
		if err != nil {
			return nil, err
		}
		rec.Scope = scope
		out = append(out, rec)
	}
	return out, rows.Err()
}
