package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// dialect is what differs between the two databases.
type dialect struct {
	name     string
	postgres bool
	// now is an expression for the moment in microseconds; $1 is the injected clock's reading, or null for the
	// database's own clock. It is the moment at which the statement began: one value for all of it, so that an index can
	// be searched by it, and early where the statement had to wait, so that no lease looks over too soon.
	now string
}

var (
	postgres = dialect{name: "postgres", postgres: true, now: "coalesce($1::bigint, (date_part('epoch', statement_timestamp()) * 1000000)::bigint)"}
	sqlite   = dialect{name: "sqlite", now: "?1"}
)

// text fits a statement, written with $n, {now} and {skip}, to the dialect. SQLite numbers its parameters with ?n.
func (d dialect) text(statement string) string {
	skip := " FOR UPDATE SKIP LOCKED"
	if !d.postgres {
		statement, skip = strings.ReplaceAll(statement, "$", "?"), ""
	}
	statement = strings.ReplaceAll(statement, "{skip}", skip)
	return strings.ReplaceAll(statement, "{now}", d.now)
}

// statements are the texts of one dialect.
type statements struct {
	lookup, answer, claim, insert, expire, renew, advance, complete, drop, abandon, abandoned, reap string
}

func (d dialect) statements() statements {
	return statements{
		lookup: d.text(lookupStatement), claim: d.text(claimStatement), insert: d.text(insertStatement), expire: d.text(expireStatement),
		renew: d.text(renewStatement), advance: d.text(advanceStatement), complete: d.text(completeStatement),
		drop: d.text(dropStatement), abandon: d.text(abandonStatement), abandoned: d.text(abandonedStatement), reap: d.text(reapStatement),
	}
}

// readCommitted begins PostgreSQL's transaction of a claim. The level is said outright, because a database's default
// may be another one and the claim's reasoning depends on it.
const readCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"

// begin starts a transaction that may write.
func (d dialect) begin(ctx context.Context, conn *sql.Conn, serializable bool) error {
	statement := readCommitted
	switch {
	case !d.postgres:
		return beginImmediate(ctx, conn)
	case serializable:
		statement = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	}
	_, err := conn.ExecContext(ctx, statement)
	return err
}

// busyWait bounds how long a SQLite writer queues behind another, when the data source name sets no busy timeout.
const busyWait = 5 * time.Second

// beginImmediate takes SQLite's one write lock, which makes every SQLite transaction serializable.
func beginImmediate(ctx context.Context, conn *sql.Conn) error {
	limit := time.Now().Add(busyWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) || time.Now().After(limit) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(err, ctx.Err())
		case <-timer.C:
		}
	}
}

// isBusy goes by SQLite's own text (sqlite3_errstr of SQLITE_BUSY), since drivers share no error type.
func isBusy(err error) bool { return strings.Contains(err.Error(), "database is locked") }

// sqlState is the SQLSTATE (PostgreSQL manual, appendix A) of an error of any driver that tells it, as pgx and lib/pq do.
func sqlState(err error) string {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return ""
}

func isSerialization(err error) bool {
	code := sqlState(err)
	return code == "40001" || code == "40P01" // serialization_failure, deadlock_detected
}

// isStanding says that an insert met a record of the same scope.
func isStanding(err error) bool {
	text := err.Error()
	return strings.Contains(text, "retrysafe_records") && (sqlState(err) == "23505" || strings.Contains(text, "UNIQUE constraint failed"))
}

// isRefusal says that the database itself ended the transaction: bad data, a constraint, a transaction that had failed
// already or idled too long, a serialization failure, a statement that it does not understand, an error that a trigger
// raised. Nothing of it stands.
func isRefusal(err error) bool {
	code := sqlState(err)
	return len(code) == 5 && slices.Contains([]string{"21", "22", "23", "25", "40", "42", "44", "P0"}, code[:2])
}
