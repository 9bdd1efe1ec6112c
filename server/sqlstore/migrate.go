package sqlstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock keeps two replicas from migrating at once. Any number would do.
const migrationLock = "SELECT pg_advisory_xact_lock(7261938401552036113)"

// Migrate brings the schema to this version's. It may run again at every start and on every replica at once; a schema
// that is newer than this code is left alone and is an error.
func (s *Store) Migrate(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("sqlstore: migrate: %w", err)
	}
	t := &transaction{conn: conn, dialect: s.dialect, began: true}
	defer t.discard(ctx)
	if err := s.dialect.begin(ctx, conn, false); err != nil {
		return fmt.Errorf("sqlstore: migrate: %w", err)
	}
	if err := s.migrate(ctx, t); err != nil {
		return fmt.Errorf("sqlstore: migrate: %w", err)
	}
	return t.commit(ctx)
}

func (s *Store) migrate(ctx context.Context, t *transaction) error {
	if s.dialect.postgres {
		if _, err := t.conn.ExecContext(ctx, migrationLock); err != nil {
			return err
		}
	}
	if _, err := t.conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS retrysafe_schema (version integer PRIMARY KEY)"); err != nil {
		return err
	}
	var have int
	if err := t.conn.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM retrysafe_schema").Scan(&have); err != nil {
		return err
	}
	steps, err := fs.Glob(migrations, "migrations/"+s.dialect.name+"_*.sql") // in order of their numbers
	if err != nil {
		return err
	}
	if have > len(steps) {
		return fmt.Errorf("the schema is at version %d, this code knows %d", have, len(steps))
	}
	for i, file := range steps[have:] {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := t.conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimPrefix(file, "migrations/"), err)
		}
		if _, err := t.conn.ExecContext(ctx, s.dialect.text("INSERT INTO retrysafe_schema (version) VALUES ($1)"), have+i+1); err != nil {
			return err
		}
	}
	return nil
}
