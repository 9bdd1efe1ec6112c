package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

const abandonedStatement = `SELECT ` + columns + `, {now}, caller, operation, key FROM retrysafe_records
WHERE lease_until <= {now} - $2 AND length(payload) > 0 ORDER BY lease_until LIMIT $3`

// Abandoned implements idempotency.Sweeper.
func (s *Store) Abandoned(ctx context.Context, grace time.Duration, limit int) ([]idempotency.Record, error) {
	records, err := s.list(ctx, s.sql.abandoned, grace.Microseconds(), limit)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: list abandoned records: %w", err)
	}
	return records, nil
}

// reapStatement takes complete records in order of creation and then abandoned ones, each from its own part of the
// index retrysafe_due. Rows that another reaper is at are skipped; SQLite has one writer at a time and needs no such word.
const reapStatement = `DELETE FROM retrysafe_records WHERE scope IN (
    SELECT scope FROM (SELECT scope FROM retrysafe_records WHERE lease_until IS NULL AND created <= {now} - $2 AND expires <= {now}
        ORDER BY lease_until, created LIMIT $3{skip}) AS complete
    UNION ALL
    SELECT scope FROM (SELECT scope FROM retrysafe_records WHERE lease_until <= {now} AND created <= {now} - $2
        ORDER BY lease_until LIMIT $3{skip}) AS abandoned
    LIMIT $3
) AND created <= {now} - $2 AND (expires <= {now} OR lease_until <= {now})
RETURNING ` + columns + `, {now}, caller, operation, key`

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
