package stores_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
)

// between stands between database/sql and a real driver.
type between struct {
	real driver.Driver
	dsn  string
	// sent is told every statement before it is run. Nil: nobody is.
	sent func(query string)
	// done changes what Exec gives back. Nil: nothing is changed.
	done func(query string, result driver.Result, err error) (driver.Result, error)
}

// open opens a pool.
func (b *between) open(t *testing.T) *sql.DB {
	t.Helper()
	db := sql.OpenDB(b)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (b *between) Driver() driver.Driver { return b.real }

func (b *between) Connect(context.Context) (driver.Conn, error) {
	conn, err := b.real.Open(b.dsn)
	if err != nil {
		return nil, err
	}
	return betweenConn{conn, b}, nil
}

type betweenConn struct {
	driver.Conn

	b *between
}

func (c betweenConn) tell(query string) {
	if c.b.sent != nil {
		c.b.sent(query)
	}
}

func (c betweenConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.tell(query)
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if c.b.done == nil {
		return result, err
	}
	return c.b.done(query, result, err)
}

func (c betweenConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.tell(query)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c betweenConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}
