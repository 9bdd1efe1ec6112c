// Package sqlstore keeps idempotency records in PostgreSQL or SQLite through database/sql; the driver is yours.
//
// A request whose handler only writes to the same database is claimed, worked on and answered in one transaction:
// the handler finds it in its context, see [From], and the record commits with the handler's own writes or not at
// all. A crash leaves nothing behind, and the next attempt runs at once. In PostgreSQL an advisory lock that dies with
// the transaction tells rivals within milliseconds; in SQLite the transaction starts, with BEGIN IMMEDIATE, when the
// handler first touches it.
//
// A handler that does nothing but write can claim late: [Store.Late] with [Defer] is the claim, the write and the answer
// as one statement.
//
// A request whose handler calls foreign systems (idempotency.Options.Resumable) is claimed first, in a transaction of
// its own, under a lease. Its phases run in serializable transactions that move the recovery point, see
// idempotency.Phase and idempotency.Call, and every write is fenced by the claim's token.
//
// Nothing is kept in a session from one transaction to the next, so that a pooler such as PgBouncer may share sessions in
// between, with a driver that prepares no statements (pgx: default_query_exec_mode=simple_protocol).
//
// Run [Store.Migrate] at start: it is idempotent and safe to run on every replica at once.
package sqlstore
