package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

func TestText(t *testing.T) {
	statement := "UPDATE t SET a = {now} + $2 WHERE b = $3 LIMIT $10{skip}"
	if got := sqlite.text(statement); got != "UPDATE t SET a = ?1 + ?2 WHERE b = ?3 LIMIT ?10" {
		t.Errorf("SQLite: %s", got)
	}
	if got := postgres.text(statement); got != "UPDATE t SET a = coalesce($1::bigint, (date_part('epoch', statement_timestamp()) * 1000000)::bigint) + $2 WHERE b = $3 LIMIT $10 FOR UPDATE SKIP LOCKED" {
		t.Errorf("PostgreSQL: %s", got)
	}
}

// Nothing that a client sends can leave its place in the text.
func TestInlineHoldsOnlyNumbersAndHexadecimal(t *testing.T) {
	hostile := `'; DROP TABLE charges; -- \' $1 é`
	c := &atomicClaim{id: scopeID{1}, record: idempotency.Record{Scope: idempotency.Scope{Caller: hostile, Operation: hostile, Key: hostile}}}
	text := (&Store{dialect: postgres, clock: time.Now}).inline(c, []byte(hostile), idempotency.Response{Status: 201, Body: []byte(hostile), ResourceID: hostile})
	form := regexp.MustCompile(`^SELECT retrysafe_keep\(\d+, '[0-9a-f]{32}'(, (E'\\\\x[0-9a-f]*'|\d+|true|NULL)){10}\); COMMIT$`)
	if !form.MatchString(text) {
		t.Errorf("text %s", text)
	}
}

type stateError string

func (e stateError) Error() string    { return "server says " + string(e) }
func (e stateError) SQLState() string { return string(e) }

func TestTranslate(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"nothing":             {nil, nil},
		"our primary key":     {fmt.Errorf("%w: constraint retrysafe_records_pkey", stateError("23505")), idempotency.ErrLost},
		"SQLite's":            {errors.New("UNIQUE constraint failed: retrysafe_records.scope"), idempotency.ErrLost},
		"a deferred one":      {fmt.Errorf("%w: constraint orders_ref", stateError("23505")), idempotency.ErrUndone},
		"two rows for one":    {stateError("21000"), idempotency.ErrUndone},
		"no such column":      {stateError("42703"), idempotency.ErrUndone},
		"view with check":     {stateError("44000"), idempotency.ErrUndone},
		"raised by a trigger": {stateError("P0001"), idempotency.ErrUndone},
		"failed transaction":  {stateError("25P02"), idempotency.ErrUndone},
		"idled too long":      {stateError("25P03"), idempotency.ErrUndone},
		"shutdown":            {stateError("57P01"), stateError("57P01")}, // at a COMMIT nobody knows
		"network":             {context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		if got := translate(c.err); !errors.Is(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestGuard(t *testing.T) {
	g := &guard{entries: map[scopeID]*entry{}}
	scope, payload := idempotency.Scope{Key: "k"}, idempotency.Fingerprint{1}
	id := identify(scope)
	mine, other := g.enter(id, payload, time.Unix(1, 0))
	if mine == nil || other != nil {
		t.Fatal("an absent scope was taken")
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, other := g.enter(id, idempotency.Fingerprint{2}, time.Unix(2, 0))
			rec, known, err := other.wait(t.Context(), scope)
			if err != nil || !known || rec.Fingerprint != payload || rec.State != idempotency.InFlight {
				t.Errorf("a rival was told %+v, %v, %v", rec, known, err)
			}
		})
	}
	if g.peek(id) != mine {
		t.Error("the claim does not show")
	}
	wg.Go(mine.claimed)
	wg.Wait()
	g.leave(id)

	mine, _ = g.enter(id, payload, time.Unix(3, 0))
	_, rival := g.enter(id, payload, time.Unix(3, 0))
	g.refused(id, mine, &idempotency.Record{State: idempotency.Complete})
	if rec, known, err := rival.wait(t.Context(), scope); err != nil || !known || rec.State != idempotency.Complete {
		t.Errorf("a rival was told %+v, %v, %v", rec, known, err)
	}
	mine, _ = g.enter(id, payload, time.Unix(4, 0))
	_, rival = g.enter(id, payload, time.Unix(4, 0))
	g.refused(id, mine, nil)
	if _, known, err := rival.wait(t.Context(), scope); err != nil || known {
		t.Error("a question that failed has an answer")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	g.enter(id, payload, time.Unix(5, 0))
	_, rival = g.enter(id, payload, time.Unix(5, 0))
	if _, _, err := rival.wait(ended, scope); !errors.Is(err, context.Canceled) {
		t.Errorf("a rival that left: %v", err)
	}
}

func TestLocksAreApart(t *testing.T) {
	id := scopeID([]byte(strings.Repeat("d", 16)))
	scope, request := locks(id, idempotency.Fingerprint{})
	if scope == request {
		t.Error("one lock for two things")
	}
	if _, other := locks(id, idempotency.Fingerprint{1}); other == request {
		t.Error("two payloads share a lock")
	}
}

func TestRecent(t *testing.T) {
	var r recent
	id := func(bucket, tag byte) scopeID { return scopeID{3: bucket, 7: tag} }
	for tag := range byte(recentWays) {
		r.add(id(1, 2*tag))
	}
	for tag := range byte(recentWays) {
		if !r.has(id(1, 2*tag)) {
			t.Errorf("%d is forgotten", tag)
		}
	}
	if r.has(id(1, 100)) || r.has(id(2, 2)) || r.has(scopeID{}) {
		t.Error("a scope that was not added is there")
	}
	r.add(id(1, 50))
	if !r.has(id(1, 50)) || r.has(id(1, 0)) {
		t.Error("the newest did not take the place of the oldest")
	}
}

func TestHeaderText(t *testing.T) {
	for _, h := range []http.Header{
		nil,
		{"Content-Type": {"text/plain"}},
		{"Link": {"<a>", "<b>", "<c>"}, "Location": {"/é: 'x' \\"}, "X-Empty": {""}},
	} {
		got, err := decodeHeader(encodeHeader(h))
		if err != nil || !reflect.DeepEqual(got, h) {
			t.Errorf("%v came back as %v, %v", h, got, err)
		}
	}
	if got := string(encodeHeader(http.Header{"Link": {"<a>\r\nSet-Cookie: x"}})); got != "Link: <a>  Set-Cookie: x\n" {
		t.Errorf("a line that is split: %q", got)
	}
	if _, err := decodeHeader([]byte("nonsense\n")); err == nil {
		t.Error("a line without a colon was read")
	}
}

// The question is a text too, and holds only numbers and hexadecimal.
func TestQuestionHoldsOnlyNumbersAndHexadecimal(t *testing.T) {
	req := idempotency.Request{Scope: idempotency.Scope{Key: "'; DROP TABLE charges; --"}, Lease: time.Second}
	for _, clock := range []func() time.Time{nil, time.Now} {
		text := (&Store{dialect: postgres, clock: clock}).question(req, identify(req.Scope))
		form := regexp.MustCompile(`^retrysafe_claim\('[0-9a-f]{32}', -?\d+, -?\d+, (NULL|\d+), '1000'\)$`)
		if !form.MatchString(text) {
			t.Errorf("text %s", text)
		}
	}
}

// A column that does not hold what the store writes is an error, not an empty answer.
func TestForeignColumns(t *testing.T) {
	for name, c := range map[string]struct {
		column interface{ Scan(src any) error }
		src    any
	}{
		"short fingerprint":     {new(fingerprintColumn), make([]byte, 31)},
		"fingerprint of text":   {new(fingerprintColumn), "text"},
		"no fingerprint":        {new(fingerprintColumn), nil},
		"header without colons": {new(headerColumn), []byte("nonsense\n")},
		"header of a number":    {new(headerColumn), int64(1)},
	} {
		if err := c.column.Scan(c.src); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var header headerColumn
	if err := header.Scan(nil); err != nil || header != nil {
		t.Errorf("null: %v, %v", header, err)
	}
}

func TestShifted(t *testing.T) {
	for by, want := range map[int]string{
		0: "VALUES ($1, $2, $12, 'a') RETURNING $1::text", 3: "VALUES ($4, $5, $15, 'a') RETURNING $4::text",
	} {
		if got := shifted("VALUES ($1, $2, $12, 'a') RETURNING $1::text", by); got != want {
			t.Errorf("by %d: %s", by, got)
		}
	}
}

// What cannot stand beside the record, or might mean something else there, runs by itself.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		query  string
		params int
		ok     bool
	}{
		{"INSERT INTO t VALUES ($1, $2)", 2, true},
		{"insert\ninto t values ($2, $1);", 2, true},
		{"-- name: Make :exec\n-- more\nDELETE FROM t", 0, true},
		{"UPDATE t SET a = $1 -- the end", 1, true},
		{"INSERT INTO t VALUES ($1, $2)", 3, false}, // pgx takes options among the arguments
		{"INSERT INTO t VALUES (@name)", 1, false},
		{"INSERT INTO t VALUES ($1, 'costs $2')", 1, false},
		{"INSERT INTO t VALUES ($99999999999999999999)", 1, false},
		{"INSERT INTO t VALUES (1); DELETE FROM t", 0, false},
		{"SELECT $1", 1, false},
		{"-- INSERT INTO t VALUES (1)", 0, false},
		{"/* why */ INSERT INTO t VALUES (1)", 0, false},
		{"", 0, false},
	} {
		text, ok := beside(c.query, c.params)
		if ok != c.ok || ok && !strings.Contains(text, strings.TrimSuffix(c.query, ";")+"\n) ") {
			t.Errorf("%q with %d parameters: %q, %v", c.query, c.params, text, ok)
		}
	}
}
