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
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	store := sqlstore.Postgres(db)
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	_, err = db.ExecContext(ctx, "CREATE TABLE charges (id text PRIMARY KEY, amount bigint NOT NULL, created timestamptz NOT NULL DEFAULT now())")
	return db, store, err
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

func claim(ctx context.Context, s *settings) error {
	for _, clients := range []int{1, 16} {
		db, store, err := s.database(ctx, clients)
		if err != nil {
			return err
		}
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
				return charge(ctx, store, request(rand.Text()))
			}},
			{"INSERT alone", func(ctx context.Context) error {
				_, err := db.ExecContext(ctx, insertCharge, rand.Text(), 1000)
				return err
			}},
		}
		rates, err := compare(ctx, s.rounds, clients, variants)
		if err != nil {
			return err
		}
		s.print(clients, variants, rates)
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}

// charge is a keyed request as the middleware makes it.
func charge(ctx context.Context, store idempotency.Store, req idempotency.Request) error {
	c, _, err := store.Claim(ctx, req)
	if err != nil || c == nil {
		return fmt.Errorf("not claimed: %w", err)
	}
	bound := c.Bind(ctx)
	tx, _ := sqlstore.From(bound)
	if _, err := tx.ExecContext(bound, insertCharge, rand.Text(), 1000); err != nil {
		return errors.Join(err, c.Release(ctx))
	}
	return c.Complete(ctx, answer)
}

// compare runs the variants in shuffled cells of a second and returns their rates by round.
func compare(ctx context.Context, rounds, clients int, variants []variant) ([][]float64, error) {
	rates := make([][]float64, len(variants))
	for i, v := range variants { // warm up
		if _, err := rate(ctx, clients, 200*time.Millisecond, v.work); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		rates[i] = make([]float64, rounds)
	}
	for round := range rounds {
		for _, i := range mathrand.Perm(len(variants)) {
			r, err := rate(ctx, clients, time.Second, variants[i].work)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", variants[i].name, err)
			}
			rates[i][round] = r
		}
	}
	return rates, nil
}

// rate is the number of times per second that the clients together get the work done.
func rate(ctx context.Context, clients int, d time.Duration, work func(context.Context) error) (float64, error) {
	var (
		wg    sync.WaitGroup
		done  atomic.Int64
		first atomic.Pointer[error]
	)
	began := time.Now()
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
	if err := first.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(began).Seconds(), nil
}

// print shows every variant beside the first one, paired by round.
func (s *settings) print(clients int, variants []variant, rates [][]float64) {
	for i, v := range variants {
		ratios := make([]float64, len(rates[i]))
		for round := range ratios {
			ratios[round] = rates[i][round] / rates[0][round]
		}
		fmt.Fprintf(s.out, "%2d clients  %-32s %8.0f/s  %.2fx (middle half %s)\n", clients, v.name, median(rates[i]), median(ratios), spread(ratios))
	}
}
