package shop

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // a driver
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	_ "modernc.org/sqlite" // a driver

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/kvstore"
	"github.com/retrysafe/retrysafe/server/natskv"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// Environment of a shop in a process of its own.
const (
	envStore  = "SHOP_STORE" // a kind, see Open
	envDSN    = "SHOP_DSN"
	envLedger = "SHOP_LEDGER"
	envAddr   = "SHOP_ADDR"
	envLease  = "SHOP_LEASE" // 2s by default
)

func processLease() time.Duration {
	lease, err := time.ParseDuration(os.Getenv(envLease))
	if err != nil {
		return 2 * time.Second
	}
	return lease
}

// The kinds of stores that a shop can be opened on. Late is PostgreSQL with claims that begin late and effects that wait
// for the answer.
const (
	Postgres = "postgres"
	Late     = "late"
	SQLite   = "sqlite"
	NATS     = "nats"
)

// Main serves when the environment asks for it, and never returns then. Call it first in TestMain.
func Main() {
	if os.Getenv(envStore) == "" {
		return
	}
	err := serve(context.Background(), os.Getenv(envStore), os.Getenv(envDSN), os.Getenv(envLedger), os.Getenv(envAddr))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Open opens a store of a kind.
func Open(ctx context.Context, kind, dsn string) (idempotency.Sweeper, *sql.DB, error) {
	if kind == NATS {
		conn, err := nats.Connect(dsn)
		if err != nil {
			return nil, nil, err
		}
		js, err := jetstream.New(conn)
		if err != nil {
			return nil, nil, err
		}
		bucket, err := natskv.Open(ctx, js, jetstream.KeyValueConfig{Bucket: "idempotency"})
		if err != nil {
			return nil, nil, err
		}
		return kvstore.New(bucket, kvstore.Options{}), nil, nil
	}
	driver, open := "pgx", sqlstore.Postgres
	switch kind {
	case Late:
		open = func(db *sql.DB) *sqlstore.Store { return sqlstore.Postgres(db).Late() }
	case SQLite:
		driver, open = "sqlite", func(db *sql.DB) *sqlstore.Store { return sqlstore.SQLite(db, nil) }
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(60)
	db.SetMaxIdleConns(60)
	store := open(db)
	return store, db, store.Migrate(ctx)
}

func serve(ctx context.Context, kind, dsn, ledger, addr string) error {
	store, db, err := Open(ctx, kind, dsn)
	if err != nil {
		return err
	}
	s, err := New(ctx, Config{
		Store: store, DB: db, Postgres: kind == Postgres || kind == Late, Deferring: kind == Late, Ledger: ledger, Failures: idempotency.ReattemptFailures,
		Lease: processLease(), Window: time.Second,
	})
	if err != nil {
		return err
	}
	go idempotency.Completer{
		Store: store, Handler: s.resumed(), Every: 300 * time.Millisecond, Grace: time.Second,
	}.Run(ctx)
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println("listening on", listener.Addr())
	return http.Serve(listener, s.Handler)
}

// resumed is the shop for a completer: the caller is the record's.
func (s *Shop) resumed() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer resumed")
		s.Handler.ServeHTTP(w, r)
	})
}

// Process is a shop in a process of its own, made from the running test binary.
type Process struct {
	URL  string
	env  []string
	addr string
	cmd  *exec.Cmd
	gone chan struct{}
}

// Spawn starts a shop and waits until it listens.
func Spawn(kind, dsn, ledger string, lease time.Duration) (*Process, error) {
	p := &Process{addr: "127.0.0.1:0", env: []string{
		envStore + "=" + kind, envDSN + "=" + dsn, envLedger + "=" + ledger, envLease + "=" + lease.String(),
	}}
	return p, p.Start()
}

// SetKind makes the next start one on another kind of store.
func (p *Process) SetKind(kind string) { p.env[0] = envStore + "=" + kind }

// Start starts the shop again, on the same address.
func (p *Process) Start() error {
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(append(os.Environ(), p.env...), envAddr+"="+p.addr)
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return errors.Join(fmt.Errorf("the shop does not listen: %w", err), p.cmd.Wait())
	}
	p.addr = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	if url := "http://" + p.addr; p.URL != url { // a restart keeps the address, and customers read it meanwhile
		p.URL = url
	}
	p.gone = make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // killed, as a rule
		close(p.gone)
	}()
	return nil
}

// Signal sends a signal, such as SIGSTOP and SIGCONT.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process with kill -9 and waits for its end. A process that has ended already is fine.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.gone
	return nil
}

// Gone is closed when the process has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }
