package sqlbackend_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/examples/shop-server/sqlbackend"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
)

// cluster is PostgreSQL for all tests; nil where it is not installed.
var cluster *pgtest.Cluster

func TestMain(m *testing.M) {
	if bin, err := pgtest.Find(); err == nil {
		if cluster, err = pgtest.New(bin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if cluster != nil {
		if err := cluster.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// backends runs f on each kind of backend, each of them empty.
func backends(t *testing.T, f func(t *testing.T, backend shop.Backend)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { f(t, shop.NewMemory()) })
	open := func(t *testing.T, dsn string) *sqlbackend.Backend {
		t.Helper()
		backend, err := sqlbackend.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = backend.Close() })
		return backend
	}
	t.Run("sqlite", func(t *testing.T) { f(t, open(t, filepath.Join(t.TempDir(), "shop.db"))) })
	t.Run("postgres", func(t *testing.T) {
		if cluster == nil {
			pgtest.Start(t) // says what is missing
		}
		dsn := cluster.Database(t)
		open(t, dsn) // opening again finds the tables
		f(t, open(t, dsn))
	})
}

func TestTx(t *testing.T) {
	backends(t, func(t *testing.T, backend shop.Backend) {
		ctx := t.Context()
		write := func(f func(tx shop.Tx) error) {
			t.Helper()
			if err := backend.Run(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx shop.Tx) error {
			return errors.Join(
				tx.Put("a", "1", "name", []byte(`{"n":1}`)), tx.Put("a", "2", "name", []byte(`{"n":2}`)), tx.Put("b", "1", "name", []byte(`{}`)),
				tx.Put("a", "1", "other", []byte(`{"n":3}`)), tx.Put("a", "3", "", []byte(`{"n":4}`)), tx.Delete("a", "3"),
			)
		})
		write(func(tx shop.Tx) error {
			got, err := tx.Get("a", "1")
			named, err2 := tx.Find("a", "name")
			none, err3 := tx.Get("a", "3")
			all, err4 := tx.List("a")
			text := fmt.Sprintf("%s %s %s %s", got, named, none, all)
			if want := `{"n":3} {"n":3}  [{"n":3} {"n":2}]`; text != want {
				t.Errorf("read %s, want %s", text, want)
			}
			first, err5 := tx.Add("g", "x", 5)
			second, err6 := tx.Add("g", "x", -2)
			counters, err7 := tx.Counters()
			if first != 5 || second != 3 || counters["g"]["x"] != 3 {
				t.Errorf("counted %d, %d, %v", first, second, counters)
			}
			return errors.Join(err, err2, err3, err4, err5, err6, err7)
		})
	})
}

func TestFailedTransactionIsUndone(t *testing.T) {
	broken := errors.New("broken")
	backends(t, func(t *testing.T, backend shop.Backend) {
		if _, inMemory := backend.(*sqlbackend.Backend); !inMemory {
			t.Skip("memory has no undo; the shop writes at the end")
		}
		err := backend.Run(t.Context(), func(tx shop.Tx) error {
			return errors.Join(tx.Put("a", "1", "", []byte(`{}`)), broken)
		})
		if !errors.Is(err, broken) {
			t.Fatalf("%v, want broken", err)
		}
		err = backend.Run(t.Context(), func(tx shop.Tx) error {
			body, err := tx.Get("a", "1")
			if body != nil {
				t.Errorf("%s is there", body)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// shopOn serves a shop whose bank breaks down as often as told.
func shopOn(t *testing.T, backend shop.Backend, bank *shop.Bank, breakdowns *atomic.Int32) (*shop.Shop, func(path, key, body string) (int, string)) {
	t.Helper()
	processor := func(ctx context.Context, charge shop.Charge) (shop.Receipt, error) {
		receipt, err := bank.Charge(ctx, charge)
		if breakdowns.Add(-1) >= 0 {
			return shop.Receipt{}, errors.New("the line to the bank broke after it had taken the money")
		}
		return receipt, err
	}
	s, err := shop.New(t.Context(), shop.Options{Backend: backend, Processor: processor})
	if err != nil {
		t.Fatal(err)
	}
	return s, func(path, key, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer t")
		r.Header.Set("Content-Type", "application/json")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
}

const (
	orderBody = `{"order_ref":"web-1","customer_id":"cus_1","currency":"EUR","lines":[{"sku":"lamp-1","quantity":1}]}`
	payment   = `{"order_id":"ord_1","amount":2990,"currency":"EUR","method":{"type":"card","number":"%s"}}`
)

// The bank takes the money and the line breaks, twice. The payment is answered 503 and goes on under the same foreign
// key when it is sent again: the bank is asked three times and takes the money one time.
func TestPaymentGoesOnAfterTheBankBrokeDown(t *testing.T) {
	backends(t, func(t *testing.T, backend shop.Backend) {
		bank := shop.NewBank()
		var breakdowns atomic.Int32
		s, post := shopOn(t, backend, bank, &breakdowns)
		if status, body := post("/orders", "o", orderBody); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		breakdowns.Store(2)
		body := fmt.Sprintf(payment, "4242424242424242")
		for i, want := range []int{http.StatusServiceUnavailable, http.StatusServiceUnavailable, http.StatusCreated, http.StatusCreated} {
			if status, text := post("/payments", "p", body); status != want {
				t.Fatalf("attempt %d: %d %s, want %d", i+1, status, text, want)
			}
		}
		effects, err := s.Effects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		money, calls, charges := bank.Taken()
		if effects.Charged["EUR"] != 2990 || money["EUR"] != 2990 || calls != 3 || charges != 1 {
			t.Errorf("charged %v, the bank took %v in %d charges of %d calls", effects.Charged, money, charges, calls)
		}
	})
}

func TestDeclinedPaymentStaysDeclined(t *testing.T) {
	backends(t, func(t *testing.T, backend shop.Backend) {
		bank := shop.NewBank()
		_, post := shopOn(t, backend, bank, new(atomic.Int32))
		post("/orders", "o", orderBody)
		for range 2 {
			if status, body := post("/payments", "p", fmt.Sprintf(payment, "4000000000000002")); status != http.StatusPaymentRequired {
				t.Errorf("%d %s, want 402", status, body)
			}
		}
		if status, body := post("/payments", "", fmt.Sprintf(payment, "4242424242424242")); status != http.StatusCreated {
			t.Errorf("without a key: %d %s, want 201", status, body)
		}
		if _, calls, charges := bank.Taken(); calls != 2 || charges != 2 {
			t.Errorf("%d calls for %d charges, want 2 for 2: the second answer was the stored one", calls, charges)
		}
	})
}

// Many rivals send one request at the same time, with one key: one order.
func TestRivals(t *testing.T) {
	backends(t, func(t *testing.T, backend shop.Backend) {
		s, post := shopOn(t, backend, shop.NewBank(), new(atomic.Int32))
		var rivals sync.WaitGroup
		var created atomic.Int32
		for range 20 {
			rivals.Go(func() {
				switch status, body := post("/orders", "o", orderBody); status {
				case http.StatusCreated:
					created.Add(1)
				case http.StatusConflict:
				default:
					t.Errorf("%d %s", status, body)
				}
			})
		}
		rivals.Wait()
		effects, err := s.Effects(t.Context())
		if err != nil || effects.Orders["web-1"] != 1 || created.Load() == 0 {
			t.Errorf("%d orders, %d told so, %v", effects.Orders["web-1"], created.Load(), err)
		}
	})
}
