package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// variant is one way to do a piece of work.
type variant struct {
	name string
	work func(ctx context.Context) error
}

func (s *settings) database(ctx context.Context, connections int) (*sql.DB, *sqlstore.Store, error) {
	dsn, err := s.cluster.NewDatabase()
	if err != nil {
		return nil, nil, err
	}
	s.dsn = dsn
	db, err := s.open(connections)
	if err != nil {
		return nil, nil, err
	}
	store := sqlstore.Postgres(db)
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	_, err = db.ExecContext(ctx, "CREATE TABLE charges (id text PRIMARY KEY, amount bigint NOT NULL, created timestamptz NOT NULL DEFAULT now())")
	return db, store, err
}

// open opens one more pool on the newest database.
func (s *settings) open(connections int) (*sql.DB, error) {
	db, err := sql.Open("pgx", s.dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

func request(key string) idempotency.Request {
	return idempotency.Request{
		Scope:       idempotency.Scope{Caller: "acct_1", Operation: "POST /charges", Key: key},
		Fingerprint: sha256.Sum256([]byte(key)), Lease: 30 * time.Second, Window: 24 * time.Hour,
	}
}

var answer = idempotency.Response{
	Status: http.StatusCreated,
	Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/charges/ch_0123456789"}},
	Body:   []byte(`{"id":"ch_0123456789","amount":1000,"currency":"eur","status":"paid"}`),
}

const insertCharge = "INSERT INTO charges (id, amount) VALUES ($1, $2)"

func claim(ctx context.Context, s *settings) (string, error) {
	var rows [][]string
	var limits []bar
	for _, clients := range []int{1, 16} {
		db, store, err := s.database(ctx, clients)
		if err != nil {
			return "", err
		}
		late := store.Late()
		variants := []variant{
			{"BEGIN, INSERT, COMMIT", func(ctx context.Context) error {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, insertCharge, rand.Text(), 1000); err != nil {
					return errors.Join(err, tx.Rollback())
				}
				return tx.Commit()
			}},
			{"the same with claim and answer", func(ctx context.Context) error {
				return charge(ctx, store, request(rand.Text()), atOnce)
			}},
			{"a late claim, with the INSERT put off to the answer", func(ctx context.Context) error {
				return charge(ctx, late, request(rand.Text()), putOff)
			}},
			{"the same with SELECT 1 beside BEGIN, a second INSERT beside COMMIT", func(ctx context.Context) error { return two(ctx, db) }},
			{"INSERT alone", func(ctx context.Context) error {
				_, err := db.ExecContext(ctx, insertCharge, rand.Text(), 1000)
				return err
			}},
		}
		results, err := s.compare(ctx, clients, variants)
		if err != nil {
			return "", err
		}
		rows = append(rows, comparison(clients, variants, results)...)
		limit := map[int]float64{1: 0.85, 16: 0.80}[clients]
		limits = append(limits,
			atLeast(fmt.Sprintf("claim before the handler, write and answer in one transaction, %d clients", clients), limit, results[1], results[0]),
			atLeast(fmt.Sprintf("late claim, write and answer in one statement, %d clients", clients), limit, results[2], results[0]))
		if err := db.Close(); err != nil {
			return "", err
		}
	}
	return table(comparisonHeader, rows) + bars(limits...), nil
}

// two is the least that any claim with a record costs: a question before the handler runs, and a second row after it.
func two(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	for _, message := range []struct {
		text string
		args []any
	}{
		{"BEGIN; SELECT 1", nil},
		{insertCharge, []any{rand.Text(), 1000}},
		{"INSERT INTO charges (id, amount) VALUES ('" + rand.Text() + "', 1000); COMMIT", nil},
	} {
		if _, err := conn.ExecContext(ctx, message.text, message.args...); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	return conn.Close()
}

// write is what the handler of a keyed request writes.
type write func(ctx context.Context) error

func atOnce(ctx context.Context) error {
	tx, _ := sqlstore.From(ctx)
	_, err := tx.ExecContext(ctx, insertCharge, rand.Text(), 1000)
	return err
}

func putOff(ctx context.Context) error {
	return sqlstore.Defer(ctx, nil, insertCharge, rand.Text(), 1000)
}

// charge is a keyed request as the middleware makes it.
func charge(ctx context.Context, store idempotency.Store, req idempotency.Request, write write) error {
	c, _, err := store.Claim(ctx, req)
	if err != nil || c == nil {
		return fmt.Errorf("not claimed: %w", err)
	}
	if err := write(c.Bind(ctx)); err != nil {
		return errors.Join(err, c.Release(ctx))
	}
	return c.Complete(ctx, answer)
}

// sample is one cell of a comparison.
type sample struct {
	rate             float64 // pieces of work per second
	client, database float64 // processor time per piece of work, µs
}

// compare runs the variants in shuffled cells and returns their samples by round.
func (s *settings) compare(ctx context.Context, clients int, variants []variant) ([][]sample, error) {
	samples := make([][]sample, len(variants))
	for i, v := range variants { // warm up
		if _, err := s.cell(ctx, clients, 200*time.Millisecond, v.work); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		samples[i] = make([]sample, s.rounds)
	}
	for round := range s.rounds {
		for _, i := range mathrand.Perm(len(variants)) {
			one, err := s.cell(ctx, clients, s.length, variants[i].work)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", variants[i].name, err)
			}
			samples[i][round] = one
		}
	}
	return samples, nil
}

// cell lets the clients together do the work for a while.
func (s *settings) cell(ctx context.Context, clients int, d time.Duration, work func(context.Context) error) (sample, error) {
	var (
		wg    sync.WaitGroup
		done  atomic.Int64
		first atomic.Pointer[error]
	)
	server, err := s.cluster.PID()
	if err != nil {
		return sample{}, err
	}
	own, theirs, began := cpuTime(), databaseTime(server), time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(began) < d {
				if err := work(ctx); err != nil {
					first.CompareAndSwap(nil, &err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	took, n := time.Since(began), float64(done.Load())
	own, theirs = cpuTime()-own, databaseTime(server)-theirs
	if err := first.Load(); err != nil {
		return sample{}, *err
	}
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / n }
	return sample{n / took.Seconds(), micros(own), micros(theirs)}, nil
}

var comparisonHeader = []string{"work", "clients", "per second", "ratio", "middle half", "CPU of the client", "CPU of the database", "ratio by CPU"}

// comparison shows every variant beside the first one, paired by round.
func comparison(clients int, variants []variant, samples [][]sample) [][]string {
	rows := make([][]string, len(variants))
	for i, v := range variants {
		ratios := paired(samples[i], samples[0], func(a, b sample) float64 { return a.rate / b.rate })
		less := paired(samples[i], samples[0], func(a, b sample) float64 { return (b.client + b.database) / (a.client + a.database) })
		rows[i] = []string{
			v.name, strconv.Itoa(clients),
			fmt.Sprintf("%.0f", median(paired(samples[i], samples[0], func(a, _ sample) float64 { return a.rate }))),
			fmt.Sprintf("%.2f", median(ratios)), spread(ratios),
			fmt.Sprintf("%.0f us", median(paired(samples[i], samples[0], func(a, _ sample) float64 { return a.client }))),
			fmt.Sprintf("%.0f us", median(paired(samples[i], samples[0], func(a, _ sample) float64 { return a.database }))),
			fmt.Sprintf("%.2f", median(less)),
		}
	}
	return rows
}

func paired(of, to []sample, value func(of, to sample) float64) []float64 {
	out := make([]float64, len(of))
	for round := range out {
		out[round] = value(of[round], to[round])
	}
	return out
}

func atLeast(name string, limit float64, of, to []sample) bar {
	got := median(paired(of, to, func(a, b sample) float64 { return a.rate / b.rate }))
	return bar{name, fmt.Sprintf("at least %.2f", limit), fmt.Sprintf("%.2f", got), got >= limit}
}
