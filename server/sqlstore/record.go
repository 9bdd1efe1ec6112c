package sqlstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

type scanner interface{ Scan(dest ...any) error }

// scanRecord reads the columns of a record and, after them, the moment of the reading and whatever else is asked for.
func scanRecord(row scanner, scope idempotency.Scope, more ...any) (_ idempotency.Record, moment time.Time, err error) {
	var (
		rec                                         = idempotency.Record{Scope: scope}
		fingerprint, token, steps, header           []byte
		created, lockedAt, leaseUntil, expires, now int64
	)
	dest := append(make([]any, 0, 20), // all columns, and what is asked for besides
		&fingerprint, &rec.State, &token, &created, &lockedAt, &leaseUntil, &expires, &rec.RecoveryPoint, &steps, &rec.Payload,
		&rec.Response.Status, &header, &rec.Response.Body, &rec.Response.Dropped, &rec.Response.ResourceID, &now,
	)
	dest = append(dest, more...)
	if err := row.Scan(dest...); err != nil {
		return idempotency.Record{}, moment, err
	}
	copy(rec.Fingerprint[:], fingerprint)
	copy(rec.Token[:], token)
	rec.Created, rec.LockedAt = moments(created), moments(lockedAt)
	rec.LeaseUntil, rec.Expires = moments(leaseUntil), moments(expires)
	rec.Abandoned = rec.State == idempotency.InFlight && leaseUntil <= now
	if err := decode("header", header, &rec.Response.Header); err != nil {
		return idempotency.Record{}, moment, err
	}
	if err := decode("steps", steps, &rec.Steps); err != nil {
		return idempotency.Record{}, moment, err
	}
	return rec, time.UnixMicro(now), nil
}

// scanAnswer reads what peekStatement asks for.
func scanAnswer(row scanner, scope idempotency.Scope) (_ idempotency.Record, moment time.Time, err error) {
	var (
		rec                 = idempotency.Record{Scope: scope}
		fingerprint, header []byte
		since, until, now   int64
	)
	err = row.Scan(&fingerprint, &rec.State, &since, &until, &rec.Response.Status, &header, &rec.Response.Body,
		&rec.Response.Dropped, &rec.Response.ResourceID, &now)
	if err != nil {
		return idempotency.Record{}, moment, err
	}
	copy(rec.Fingerprint[:], fingerprint)
	if rec.State == idempotency.Complete {
		rec.Created, rec.Expires = moments(since), moments(until)
	} else {
		rec.LockedAt, rec.LeaseUntil, rec.Abandoned = moments(since), moments(until), until <= now
	}
	if err := decode("header", header, &rec.Response.Header); err != nil {
		return idempotency.Record{}, moment, err
	}
	return rec, time.UnixMicro(now), nil
}

func moments(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro)
}

func decode(column string, text []byte, into any) error {
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("column %s: %w", column, err)
	}
	return nil
}

// encode makes JSON of maps of strings and bytes, which cannot fail.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}
