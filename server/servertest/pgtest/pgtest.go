// Package pgtest runs a throw-away PostgreSQL for tests.
package pgtest

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Cluster is one server with its own data directory. It can be killed and started again.
type Cluster struct {
	dir, bin string
	port     int
	owner    *syscall.Credential
	names    atomic.Int64
}

// settings: durable as a default installation is, small enough for a test machine, quiet.
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
shared_buffers = 256MB
max_wal_size = 4GB
log_min_messages = fatal
log_checkpoints = off
`

// Start makes a cluster and starts it. Where PostgreSQL is not installed the test is skipped, or fails when CI is set.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	c := start(tb)
	tb.Cleanup(func() {
		if err := c.Remove(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// shared is the cluster that tests of one package have in common.
var shared *Cluster

// Shared is Start for tests that need only a database of their own: one cluster for all of a package that run one after
// the other, removed by [Main].
func Shared(tb testing.TB) *Cluster {
	tb.Helper()
	if shared == nil {
		shared = start(tb)
	}
	return shared
}

// Main runs the tests of a package, for its TestMain, and removes what [Shared] started.
func Main(m *testing.M) int {
	code := m.Run()
	if shared != nil {
		if err := shared.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return max(code, 1)
		}
	}
	return code
}

func start(tb testing.TB) *Cluster {
	tb.Helper()
	bin, err := Find()
	if err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatalf("PostgreSQL is needed: %v", err)
		}
		tb.Skipf("PostgreSQL is needed: %v", err)
	}
	c, err := New(bin)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// New makes and starts a cluster with the programs in bin.
func New(bin string) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "retrysafe-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bin: bin}
	if err := c.setUp(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *Cluster) setUp() error {
	if os.Getuid() == 0 { // the server refuses to run as root
		owner, err := unprivileged()
		if err != nil {
			return err
		}
		c.owner = owner
		if err := os.Chown(c.dir, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	if err := c.run("initdb", "--pgdata", c.data(), "--username", "test", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"); err != nil {
		return err
	}
	conf, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := conf.WriteString(settings); err != nil {
		return err
	}
	if err := conf.Close(); err != nil {
		return err
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	return c.Start()
}

// unprivileged finds a user to run the server as: postgres, which Debian's package makes, or nobody.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("pgtest: no user to run PostgreSQL as")
}

// Find returns the folder of initdb: from PATH, or where Debian puts it.
func Find() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("initdb is neither in PATH nor in /usr/lib/postgresql; on Debian: apt-get install postgresql")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("pgtest: address %v", l.Addr())
	}
	return addr.Port, nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("pgtest: %s: %w\n%s", name, err, out.Bytes())
	}
	return nil
}

// Start starts the server, after a kill too, and returns when it answers.
func (c *Cluster) Start() error {
	return c.run("pg_ctl", "--pgdata", c.data(), "--log", filepath.Join(c.dir, "log"), "--wait", "--timeout", "60",
		"--options", "-p "+strconv.Itoa(c.port), "start")
}

// Kill ends the server as kill -9 of all its processes would: no checkpoint, no farewell to clients.
func (c *Cluster) Kill() error {
	return c.run("pg_ctl", "--pgdata", c.data(), "--wait", "--mode", "immediate", "stop")
}

// Remove stops the server and deletes its data.
func (c *Cluster) Remove() error {
	return errors.Join(c.Kill(), os.RemoveAll(c.dir))
}

// PID is the number of the server's main process.
func (c *Cluster) PID() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}

// DSN names a database of the cluster.
func (c *Cluster) DSN(database string) string {
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

// Database makes a fresh database and returns its DSN.
func (c *Cluster) Database(tb testing.TB) string {
	tb.Helper()
	dsn, err := c.NewDatabase()
	if err != nil {
		tb.Fatal(err)
	}
	return dsn
}

// NewDatabase is Database without a test.
func (c *Cluster) NewDatabase() (string, error) {
	name := "t" + strconv.FormatInt(c.names.Add(1), 10)
	admin, err := sql.Open("pgx", c.DSN("postgres"))
	if err != nil {
		return "", err
	}
	defer admin.Close()
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		return "", err
	}
	return c.DSN(name), nil
}

// Open opens a pool that ends with the test.
func Open(tb testing.TB, dsn string, connections int) *sql.DB {
	tb.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}
