package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
)

// The environment of the process that is to die: the shop, the journal, and after how many answers of the shop.
const (
	envURL   = "JOURNAL_TEST_URL"
	envPath  = "JOURNAL_TEST_PATH"
	envDeath = "JOURNAL_TEST_DEATH"
)

var refs = []string{"web-1", "web-2", "web-3"}

func TestMain(m *testing.M) {
	if baseURL := os.Getenv(envURL); baseURL != "" {
		os.Exit(child(baseURL))
	}
	os.Exit(m.Run())
}

// child runs the program and kills its own process when the given number of answers has come in: the server has done
// its part, the program does not know yet.
func child(baseURL string) int {
	left, err := strconv.Atoi(os.Getenv(envDeath))
	if err != nil {
		return 1
	}
	deadly := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return response, err
		})
	}
	if err := run(context.Background(), baseURL, os.Getenv(envPath), refs, os.Stdout, sdk.WithAttemptMiddleware(deadly)); err != nil {
		return 1
	}
	return 0
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Killed six times, after the first answer and then always after the second, which falls on orders and payments in turn;
// then run to the end: three orders, three payments.
func TestResumesAfterKill(t *testing.T) {
	server := exampletest.Shop(t, shop.Options{})
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	for death := 1; death <= 6; death++ {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envURL+"="+server.URL, envPath+"="+path, envDeath+"="+strconv.Itoa(min(death, 2)))
		if err := cmd.Run(); err == nil && death == 1 {
			t.Fatal("the process was to die and did not")
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), server.URL, path, refs, &out); err != nil {
		t.Fatal(err)
	}
	effects := server.Effects()
	if len(effects.Orders) != 3 || shop.Surplus(effects.Orders) != 0 {
		t.Errorf("orders %v, want three", effects.Orders)
	}
	if len(effects.Payments) != 3 || shop.Surplus(effects.Payments) != 0 || effects.Charged["EUR"] != 3*2990 {
		t.Errorf("payments %v over %d, want three over 8970", effects.Payments, effects.Charged["EUR"])
	}
}

func TestPaymentOfADeadProcessIsReplayed(t *testing.T) {
	server := exampletest.Shop(t, shop.Options{})
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envURL+"="+server.URL, envPath+"="+path, envDeath+"=2") // the answer to the first payment
	if err := cmd.Run(); err == nil {
		t.Fatal("the process was to die and did not")
	}
	var out bytes.Buffer
	if err := run(t.Context(), server.URL, path, refs, &out); err != nil {
		t.Fatal(err)
	}
	want := "pay web-1: captured, known to the server: true\npay web-2: captured, known to the server: false\npay web-3: captured, known to the server: false\n"
	if out.String() != want {
		t.Errorf("output:\n%s\nwant:\n%s", &out, want)
	}
	if err := run(t.Context(), server.URL, path, refs, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := shop.Total(server.Effects().Payments); got != 3 {
		t.Errorf("%d payments, want 3", got)
	}
}

// A line that broke off is dropped; a line that makes no sense is an error, not a guess.
func TestOpenJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	whole := `{"intent":"pay a","key":"k1","amount":1,"order":"o"}` + "\n"
	if err := os.WriteFile(path, []byte(whole+`{"intent":"pay b","ke`), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := j.pending(); len(got) != 1 || got[0].Key != "k1" {
		t.Errorf("pending %v, want pay a", got)
	}
	e := j.pending()[0]
	e.Done = true
	if err := j.write(e); err != nil {
		t.Fatal(err)
	}
	if got := j.pending(); len(got) != 0 {
		t.Errorf("pending %v, want none", got)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 2 || strings.Contains(string(text), "pay b") {
		t.Errorf("journal %q %v", text, err)
	}
	if err := os.WriteFile(path, []byte("no JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(path); err == nil {
		t.Error("a line that is no JSON was taken")
	}
}
