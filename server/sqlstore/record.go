package sqlstore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

type scanner interface{ Scan(dest ...any) error }

// scanRecord reads the columns of a record and, after them, the moment of the reading and whatever else is asked for.
func scanRecord(row scanner, scope idempotency.Scope, more ...any) (_ idempotency.Record, moment time.Time, err error) {
	var (
		rec                                         = idempotency.Record{Scope: scope}
		fingerprint                                 fingerprintColumn
		header                                      headerColumn
		token, steps                                []byte
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
	rec.Fingerprint, rec.Response.Header = idempotency.Fingerprint(fingerprint), http.Header(header)
	copy(rec.Token[:], token)
	rec.Created, rec.LockedAt = moments(created), moments(lockedAt)
	rec.LeaseUntil, rec.Expires = moments(leaseUntil), moments(expires)
	rec.Abandoned = rec.State == idempotency.InFlight && leaseUntil <= now
	if len(steps) > 0 {
		if err := json.Unmarshal(steps, &rec.Steps); err != nil {
			return idempotency.Record{}, moment, fmt.Errorf("column steps: %w", err)
		}
	}
	return rec, time.UnixMicro(now), nil
}

// scanAnswer reads what answerStatement asks for. It is what a replay costs in this process: columns are taken over without
// a copy in between, and numbers as the drivers give them, since database/sql makes text of all others.
func scanAnswer(row scanner, scope idempotency.Scope) (idempotency.Record, error) {
	var a struct {
		fingerprint     fingerprintColumn
		header          headerColumn
		body            []byte
		status, created int64
	}
	if err := row.Scan(&a.fingerprint, &a.status, &a.header, &a.body, &a.created); err != nil {
		return idempotency.Record{}, err
	}
	return idempotency.Record{
		Scope: scope, State: idempotency.Complete, Fingerprint: idempotency.Fingerprint(a.fingerprint), Created: moments(a.created),
		Response: idempotency.Response{Status: int(a.status), Header: http.Header(a.header), Body: a.body},
	}, nil
}

// fingerprintColumn and headerColumn read a column out of the driver's own buffer.
type (
	fingerprintColumn idempotency.Fingerprint
	headerColumn      http.Header
)

func (f *fingerprintColumn) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || copy(f[:], b) != len(f) {
		return fmt.Errorf("column fingerprint: %T of %d bytes", src, len(b))
	}
	return nil
}

func (h *headerColumn) Scan(src any) (err error) {
	switch src := src.(type) {
	case nil:
		*h = nil
	case []byte:
		var header http.Header
		header, err = decodeHeader(src)
		*h = headerColumn(header)
	default:
		err = fmt.Errorf("column header: %T", src)
	}
	return err
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
