package conformance_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/conformance"
)

const envHabits = "CONFORMANCE_TEST_HABITS"

func TestMain(m *testing.M) {
	if habits, ok := os.LookupEnv(envHabits); ok {
		if err := call(strings.Split(habits, ",")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// call is a client that does everything right, but for its habits.
func call(habits []string) error {
	has := func(habit string) bool { return slices.Contains(habits, habit) }
	key := rand.Text()
	if has("one key for all calls") {
		key = "always-the-same"
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if has("takes credentials along") {
		client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
			r.Header.Set("X-Api-Key", via[0].Header.Get("X-Api-Key"))
			return nil
		}
	}
	attempts := 3
	switch {
	case has("gives up at once"):
		attempts = 1
	case has("never gives up"):
		attempts = 12
	}
	var err error
	for attempt := range attempts {
		if has("a new key each time") {
			key = rand.Text()
		}
		body := `{"order":1}`
		if has("other bytes each time") {
			body += strconv.Itoa(attempt)
		}
		var wait time.Duration
		var again bool
		if wait, again, err = once(client, key, body, habits); !again {
			return err
		}
		if has("is impatient") {
			wait = 0
		}
		time.Sleep(wait)
	}
	return err
}

// once makes one attempt, and says whether it is worth another one.
func once(client *http.Client, key, body string, habits []string) (wait time.Duration, again bool, _ error) {
	has := func(habit string) bool { return slices.Contains(habits, habit) }
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, os.Getenv(conformance.EnvURL)+"/orders", strings.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	req.Header.Set("X-Api-Key", "secret")
	if !has("sends no key") {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, true, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil && !has("takes what it gets") {
		return 0, true, err
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	wait = time.Duration(seconds) * time.Second
	switch {
	case resp.StatusCode < 300:
		return 0, false, nil
	case resp.StatusCode == 429, resp.StatusCode == 503, strings.Contains(string(text), "in_progress"), has("asks again for anything"):
		return wait, true, fmt.Errorf("status %d", resp.StatusCode)
	}
	return 0, false, fmt.Errorf("status %d", resp.StatusCode)
}

// runClients runs all cases on the client with these habits.
func runClients(t *testing.T, habits string) map[string]conformance.Result {
	t.Helper()
	cases, err := conformance.ClientCases()
	if err != nil {
		t.Fatal(err)
	}
	client := conformance.Client{Command: []string{os.Args[0]}, Env: []string{envHabits + "=" + habits}, Body: []byte(`{"id":"order-1"}`)}
	var mu sync.Mutex
	results := map[string]conformance.Result{}
	var wg sync.WaitGroup
	for _, c := range cases {
		wg.Go(func() {
			r := conformance.RunClient(t.Context(), client, c)
			mu.Lock()
			defer mu.Unlock()
			results[r.ID] = r
		})
	}
	wg.Wait()
	return results
}

// A client that does everything right passes all cases, and each bad habit fails those that are about it.
func TestClients(t *testing.T) {
	for habits, want := range map[string][]string{
		"":                        nil,
		"a new key each time":     {"CL-001", "CL-003", "CL-005", "CL-008", "CL-011"},
		"other bytes each time":   {"CL-001", "CL-003", "CL-005"},
		"sends no key":            {"CL-001", "CL-003", "CL-005", "CL-008", "CL-011", "CL-013"},
		"one key for all calls":   {"CL-013"},
		"is impatient":            {"CL-007", "CL-008", "CL-011"},
		"gives up at once":        {"CL-002", "CL-004", "CL-011"},
		"never gives up":          {"CL-012"},
		"asks again for anything": {"CL-009", "CL-010"},
		"takes what it gets":      {"CL-006"},
		"takes credentials along": {"CL-014"},
	} {
		t.Run(habits, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for id, r := range runClients(t, habits) {
				if r.Verdict == conformance.Fail {
					failed = append(failed, id)
				}
				if (r.Level == conformance.Info) != (r.Verdict == conformance.Reported) {
					t.Errorf("%s: %s", id, r.Verdict)
				}
				if strings.Contains(r.Detail, "always-the-same") || strings.Contains(r.Detail, "secret") {
					t.Errorf("%s spells a key or a credential: %s", id, r.Detail)
				}
			}
			slices.Sort(failed)
			if !slices.Equal(failed, want) {
				t.Errorf("failed %v, want %v", failed, want)
			}
		})
	}
}

// A program that cannot be run, calls nobody or does not end fails, and says why.
func TestClientsThatAreNone(t *testing.T) {
	cases, err := conformance.ClientCases()
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for _, c := range []struct {
		ctx     context.Context
		command []string
		want    string
	}{
		{t.Context(), nil, "needs a Command"},
		{t.Context(), []string{"no-such-program"}, "cannot be run"},
		{t.Context(), []string{"true"}, "no POST, PUT, PATCH or DELETE came"},
		{t.Context(), []string{"sh", "-c", "echo the last of it >&2; exit 3"}, "the program's last words: the last of it"},
		{short, []string{"sleep", "60"}, "was still running"},
	} {
		r := conformance.RunClient(c.ctx, conformance.Client{Command: c.command}, cases[0])
		if r.Verdict != conformance.Fail || !strings.Contains(r.Detail, c.want) {
			t.Errorf("%q: %s %s", c.command, r.Verdict, r.Detail)
		}
	}
}

func TestClientCasesAreWellFormed(t *testing.T) {
	cases, err := conformance.ClientCases()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.ID] || !strings.HasPrefix(c.ID, "CL-") || c.Title == "" || len(c.Replies) == 0 {
			t.Errorf("case %+v", c)
		}
		seen[c.ID] = true
		for _, r := range c.Replies {
			if !r.OK && r.Status == 0 && r.Fault != "reset" && r.Fault != "cut" {
				t.Errorf("%s: reply %+v", c.ID, r)
			}
		}
		if e := c.Expect.Exit; e != "" && e != "success" && e != "failure" {
			t.Errorf("%s: exit %q", c.ID, e)
		}
	}
	if _, err := conformance.ParseClientCases([]byte("- {id: x, replys: []}")); err == nil {
		t.Error("an unknown field is taken")
	}
}
