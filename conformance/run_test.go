package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/retrysafe/retrysafe/conformance"
)

// naive is a server without any collapsing: every request has its effect.
type naive struct {
	mu      sync.Mutex
	effects map[string]int
	calls   int
}

func (s *naive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var order struct {
		Marker string `json:"marker"`
	}
	if json.Unmarshal(body, &order) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects[order.Marker]++
	s.calls++
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%d}`, s.calls)
}

func target(t *testing.T, s *naive) conformance.Target {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return conformance.Target{
		URL: server.URL, Paths: map[string]string{"create": "/orders", "other": "/refunds", "item1": "/orders/1", "item2": "/orders/2"},
		Body: func(marker, variant string) (string, []byte) {
			return "application/json", fmt.Appendf(nil, `{"marker":%q,"variant":%q}`, marker, variant)
		},
		Effects: func(_ context.Context, marker string) (int, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.effects[marker], nil
		},
	}
}

// A server that collapses nothing must fail every case that is about collapsing.
func TestNaiveServerFails(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[conformance.Verdict]int{}
	failing := map[string]bool{}
	tgt := target(t, &naive{effects: map[string]int{}})
	for _, c := range cases {
		r := conformance.Run(t.Context(), tgt, c)
		verdicts[r.Verdict]++
		failing[r.ID] = r.Verdict == conformance.Fail
		if (r.Verdict == conformance.Skip) != strings.HasPrefix(r.Detail, "needs ") {
			t.Errorf("%s: %s %s", r.ID, r.Verdict, r.Detail)
		}
	}
	for _, id := range []string{"IK-001", "IK-002", "IK-003", "IK-015", "IK-020", "IK-034", "IK-040", "IK-041", "IK-043", "IK-046", "IK-051", "IK-056", "IK-059", "IK-101"} {
		if !failing[id] {
			t.Errorf("%s does not fail", id)
		}
	}
	t.Log(verdicts)
}

// Every server case of the collection that this one is made after has a case here.
func TestNoCaseIsLeftOut(t *testing.T) {
	path := sharedFile(t, "cases/idempotency.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var source struct {
		Cases []struct {
			ID    string `json:"id"`
			Group string `json:"group"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &source); err != nil {
		t.Fatal(err)
	}
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, c := range cases {
		if have[c.ID] {
			t.Errorf("two cases %s", c.ID)
		}
		have[c.ID] = true
		have[strings.TrimRight(c.ID, "abcd")] = true
	}
	for _, c := range source.Cases {
		if c.Group != "client" && !have[c.ID] {
			t.Errorf("%s is left out", c.ID)
		}
	}
}

func sharedFile(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not there", name)
		}
		t.Skipf("%s is not there", name)
	}
	return path
}

func TestCasesAreWellFormed(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`^(IK|RS)-\d{3}[a-d]?$`)
	for _, c := range cases {
		if !id.MatchString(c.ID) || c.Title == "" || len(c.Steps) == 0 {
			t.Errorf("case %+v", c)
		}
		if c.Level != conformance.Must && c.Level != conformance.Should && c.Level != conformance.Info {
			t.Errorf("%s: level %q", c.ID, c.Level)
		}
	}
	if _, err := conformance.Parse([]byte("- {id: x, titel: y}")); err == nil {
		t.Error("an unknown field is taken")
	}
}

// A replay has a date of its own. One that repeats the first answer's is told, however fast or slow the machine is.
func TestDateOfAReplay(t *testing.T) {
	cases, err := conformance.Parse([]byte(`
- id: RS-901
  level: must
  title: fresh
  steps: [{send: {as: r1}}, {send: {as: r2}}]
  expect: {answers: {r2: {same_as: r1, header: {Date: fresh}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for second, want := range map[string]conformance.Verdict{
		"Tue, 01 Dec 2026 03:00:01 GMT": conformance.Pass,
		"Tue, 01 Dec 2026 03:00:00 GMT": conformance.Fail,
		"Tue, 01 Dec 2026 02:59:59 GMT": conformance.Fail,
		"now":                           conformance.Fail,
	} {
		dates := []string{"Tue, 01 Dec 2026 03:00:00 GMT", second}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", dates[0])
			dates = dates[1:]
		}))
		tgt := target(t, &naive{effects: map[string]int{}})
		tgt.URL = server.URL
		if r := conformance.Run(t.Context(), tgt, cases[0]); r.Verdict != want {
			t.Errorf("%s: %s %s", second, r.Verdict, r.Detail)
		}
		server.Close()
	}
}

func ExampleRun() {
	cases, err := conformance.Parse([]byte(`
- id: RS-900
  level: must
  title: a repeat has no second effect
  steps: [{send: {as: r1}}, {send: {as: r2}}]
  expect: {effects: 1, answers: {r2: {same_as: r1}}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	effects := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		effects++
		fmt.Fprintf(w, "order %d", effects)
	}))
	defer server.Close()
	result := conformance.Run(context.Background(), conformance.Target{
		URL: server.URL, Paths: map[string]string{"create": "/orders"},
		Body:    func(marker, _ string) (string, []byte) { return "text/plain", []byte(marker) },
		Effects: func(context.Context, string) (int, error) { return effects, nil },
	}, cases[0])
	fmt.Println(result.ID, result.Verdict)
	fmt.Println(result.Detail)
	// Output:
	// RS-900 fail
	// r2 is 200 "order 2", r1 is 200 "order 1"
	// 2 effects, expected 1 to 1
}
