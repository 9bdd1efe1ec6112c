package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
)

// Late returns a store on the same table whose claims begin their transaction when the handler first writes, as those
// of [SQLite] always do. It is the faster one for a handler whose only effect is one statement, see [Defer].
//
// The price: two processes that get the same key at the same moment may both run the handler. One of them commits. The
// other one's writes are undone, and it answers what the first one said; it learns that at its first statement or, where
// all were put off, when it answers. Within a process rivals are still told at once. Use it only where the handler has no
// effect but through [From], [Or] and [Defer]: no mail, no call.
func (s *Store) Late() *Store {
	late := newStore(s.db, s.dialect, s.clock)
	late.late = true
	return late
}

// Defer runs a statement together with the answer: after the handler has returned, and before the answer is sent.
// Statements run in the order in which they were put off. Where one is all that the handler asks of a [Store.Late] on
// PostgreSQL, the claim, the statement and the answer are one statement and one round trip.
//
// The handler does not hear how many rows the statement met, nor that it failed: then nothing of the request took effect,
// and the client is told so with status 500, or with the handler's own answer if that is a refusal already. Put off what
// can only succeed, such as an INSERT under a new id, and run the rest through [Or].
//
// In a request without a key, and in a phase, the statement runs at once, on the fallback or in the phase. Its error is
// then returned. The arguments must not change before the handler returns.
func Defer(ctx context.Context, fallback DBTX, query string, args ...any) error {
	tx, ok := From(ctx)
	if ok && tx.t.defers {
		return tx.t.put(deferred{query, args})
	}
	_, err := Or(ctx, fallback).ExecContext(ctx, query, args...)
	return err
}

// deferred is a statement that waits for the answer.
type deferred struct {
	query string
	args  []any
}

func (t *transaction) put(d deferred) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return sql.ErrTxDone
	}
	t.deferred = append(t.deferred, d)
	return nil
}

// flush runs what was put off.
func (t *transaction) flush(ctx context.Context) error {
	t.mu.Lock()
	waiting := t.deferred
	t.deferred = nil
	t.mu.Unlock()
	for _, d := range waiting {
		if _, err := t.conn.ExecContext(ctx, d.query, d.args...); err != nil {
			return err
		}
	}
	return nil
}

// alone ends a transaction that need not begin, since no statement or one that fits into the record's is all there is.
func (t *transaction) alone() (text string, args []any, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dialect.postgres || t.began || t.over || t.err != nil || len(t.deferred) > 1 {
		return "", nil, false
	}
	if len(t.deferred) == 1 {
		d := t.deferred[0]
		if text, ok = beside(d.query, len(d.args)); !ok {
			return "", nil, false
		}
		args = d.args
	}
	t.over = true
	return text, args, true
}

// beside makes a common table expression of a statement, to stand before the one that keeps the record. It refuses what
// PostgreSQL allows only as a statement of its own, and parameters that are not $1 to $n: a driver may read its arguments in
// another way. Text that looks like a parameter is refused with them, which costs round trips and nothing else.
func beside(query string, params int) (string, bool) {
	query = strings.TrimRight(query, "; \t\r\n")
	if strings.Contains(query, ";") {
		return "", false
	}
	words := strings.Fields(uncommented(query))
	if len(words) == 0 || !slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, strings.ToUpper(words[0])) || highest(query) != params {
		return "", false
	}
	return "WITH deferred AS (\n" + query + "\n) ", true
}

// uncommented is the statement without the lines of comment before it, such as the name that sqlc puts there.
func uncommented(query string) string {
	for {
		query = strings.TrimSpace(query)
		if !strings.HasPrefix(query, "--") {
			return query
		}
		_, query, _ = strings.Cut(query, "\n")
	}
}

// highest is the largest n of all $n in a statement.
func highest(query string) int {
	top := 0
	for _, part := range strings.Split(query, "$")[1:] {
		top = max(top, leading(part))
	}
	return top
}

// leading is the number that a text begins with.
func leading(text string) int {
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' || n > 1<<16 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// shifted is the statement with every $n as $(n+by).
func shifted(statement string, by int) string {
	if by == 0 {
		return statement
	}
	parts := strings.Split(statement, "$")
	b := make([]byte, 0, len(statement)+len(parts))
	b = append(b, parts[0]...)
	for _, part := range parts[1:] {
		n := leading(part)
		b = strconv.AppendInt(append(b, '$'), int64(n+by), 10)
		b = append(b, strings.TrimLeft(part, "0123456789")...)
	}
	return string(b)
}
