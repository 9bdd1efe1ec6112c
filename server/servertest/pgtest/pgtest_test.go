package pgtest_test

import (
	"testing"

	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
)

func TestKillAndStart(t *testing.T) {
	cluster := pgtest.Start(t)
	dsn := cluster.Database(t)
	if _, err := pgtest.Open(t, dsn, 1).Exec("CREATE TABLE kept (n integer)"); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pgtest.Open(t, dsn, 1).Exec("SELECT n FROM kept"); err != nil {
		t.Error(err)
	}
}
