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
	if rec.Response.Header, err = decodeHeader(header); err != nil {
		return idempotency.Record{}, moment, err
	}
	if len(steps) > 0 {
		if err := json.Unmarshal(steps, &rec.Steps); err != nil {
			return idempotency.Record{}, moment, fmt.Errorf("column steps: %w", err)
		}
	}
	return rec, time.UnixMicro(now), nil
}

// scanAnswer reads what answerStatement asks for.
func scanAnswer(row scanner, scope idempotency.Scope) (idempotency.Record, error) {
	var (
		rec                 = idempotency.Record{Scope: scope, State: idempotency.Complete}
		fingerprint, header []byte
		created             int64
	)
	err := row.Scan(&fingerprint, &rec.Response.Status, &header, &rec.Response.Body, &created)
	if err != nil {
		return idempotency.Record{}, err
	}
	copy(rec.Fingerprint[:], fingerprint)
	rec.Created = moments(created)
	rec.Response.Header, err = decodeHeader(header)
	return rec, err
}

func moments(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro)
}

// encodeSteps makes JSON of a map of strings and bytes, which cannot fail.
func encodeSteps(steps map[string][]byte) []byte {
	text, err := json.Marshal(steps)
	if err != nil {
		return nil
	}
	return text
}
