package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
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
	"github.com/retrysafe/retrysafe/conformance/check"
)

// envGot names the file that a process of this test writes its answer to, as a client that makes one call.
const envGot = "CHECK_TEST_GOT"

func TestMain(m *testing.M) {
	if file := os.Getenv(envGot); file != "" && os.Getenv(conformance.EnvURL) != "" {
		if err := callOnce(file); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func callOnce(file string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, os.Getenv(conformance.EnvURL)+"/orders", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	req.Header.Set("X-Key", "k1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	return os.WriteFile(file, body, 0o600)
}

// shop has an effect for every request, or for every key. GET /orders?ref=... shows the effects of one reference.
type shop struct {
	collapses bool

	mu     sync.Mutex
	orders map[string][]string // by reference
	kept   map[string]string   // by key
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer s3cr3t" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(map[string]any{"data": append([]string{}, s.orders[r.URL.Query().Get("ref")]...)})
		return
	}
	body, err := io.ReadAll(r.Body)
	var order struct {
		Ref string `json:"ref"`
	}
	if err != nil || json.Unmarshal(body, &order) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	key := r.Header.Get("Idempotency-Key")
	answer, replayed := s.kept[key]
	if !s.collapses || !replayed {
		s.orders[order.Ref] = append(s.orders[order.Ref], "order")
		answer = fmt.Sprintf(`{"order":%d}`, len(s.orders)+len(s.orders[order.Ref])*1000)
		s.kept[key] = answer
	}
	if replayed && s.collapses {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, answer)
}

func serve(t *testing.T, collapses bool) string {
	t.Helper()
	server := httptest.NewServer(&shop{collapses: collapses, orders: map[string][]string{}, kept: map[string]string{}})
	t.Cleanup(server.Close)
	return server.URL
}

const described = `
paths: {create: /orders}
bodies: {A: {ref: "{marker}", amount: 1}, B: {ref: "{marker}", amount: 2}}
callers: {A: {Authorization: "Bearer ${CHECK_TEST_TOKEN}"}}
effects: {get: "/orders?ref={marker}", count: data}
`

// run runs the command on a file of that text.
func run(t *testing.T, text string, args ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "check.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return command(t.Context(), append([]string{"--target", file}, args...)...)
}

func command(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := check.Command()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

func TestReport(t *testing.T) {
	t.Setenv("CHECK_TEST_TOKEN", "s3cr3t")
	for collapses, want := range map[bool]string{
		true: `ADDRESS

IK-001  must   pass  a repeat gets the same status and body, and has no second effect

1 passed; failed: 0 that must pass, 0 that should; 0 only tell; 1 skipped
  for want of faults: IK-009
`,
		false: `ADDRESS

IK-001  must   fail  a repeat gets the same status and body, and has no second effect
                     r2 is 201 "{\"order\":2001}", r1 is 201 "{\"order\":1001}"
                     2 effects, expected 1 to 1

0 passed; failed: 1 that must pass, 0 that should; 0 only tell; 1 skipped
  for want of faults: IK-009
`,
	} {
		address := serve(t, collapses)
		got, err := run(t, described, "--url", address, "--only", "IK-001,IK-009")
		if got = strings.ReplaceAll(got, address, "ADDRESS"); got != want {
			t.Errorf("collapses %t:\n%s\nwant\n%s", collapses, got, want)
		}
		if code := exitCode(err); collapses && err != nil || !collapses && code != 1 {
			t.Errorf("collapses %t: %v, code %d", collapses, err, code)
		}
	}
}

func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return 0
}

// A server that should do more passes, unless the run is strict.
func TestStrict(t *testing.T) {
	t.Setenv("CHECK_TEST_TOKEN", "s3cr3t")
	address := serve(t, true)
	for strict, code := range map[string]int{"--strict=false": 0, "--strict": 1} {
		out, err := run(t, described, "--url", address, "--only", "IK-034", strict)
		if exitCode(err) != code || !strings.Contains(out, "0 that must pass, 1 that should") {
			t.Errorf("%s: %v\n%s", strict, err, out)
		}
	}
}

// A server that collapses too little, in each format: every case is there, and no secret.
func TestFormats(t *testing.T) {
	t.Setenv("CHECK_TEST_TOKEN", "s3cr3t")
	address := serve(t, false)
	counts := map[string][3]int{}
	for _, format := range []string{"text", "json", "junit"} {
		out, err := run(t, described, "--url", address, "--format", format,
			"--only", "IK-001,IK-002,IK-009,IK-020,IK-021,IK-030,IK-034,IK-040,IK-041,IK-052,IK-056,IK-060,IK-101")
		if exitCode(err) != 1 || strings.Contains(out, "s3cr3t") {
			t.Errorf("%s: %v\n%s", format, err, out)
		}
		var all, failed, skipped int
		switch format {
		case "text":
			failed = len(regexp.MustCompile(`(?m)^(IK|RS)-\S+ +\S+ +fail`).FindAllString(out, -1))
			for _, line := range regexp.MustCompile(`(?m)^  for want of .*: (.*)$`).FindAllStringSubmatch(out, -1) {
				skipped += len(strings.Fields(line[1]))
			}
			all = len(regexp.MustCompile(`(?m)^(IK|RS)-`).FindAllString(out, -1)) + skipped
		case "json":
			var report struct {
				Cases []struct {
					Verdict string `json:"verdict"`
				} `json:"cases"`
			}
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			all = len(report.Cases)
			for _, c := range report.Cases {
				switch c.Verdict {
				case "fail":
					failed++
				case "skip":
					skipped++
				}
			}
		case "junit":
			var suite struct {
				Tests    int `xml:"tests,attr"`
				Failures int `xml:"failures,attr"`
				Skipped  int `xml:"skipped,attr"`
				Cases    []struct {
					Failure *struct{} `xml:"failure"`
					Skipped *struct{} `xml:"skipped"`
				} `xml:"testcase"`
			}
			if err := xml.Unmarshal([]byte(out), &suite); err != nil {
				t.Fatal(err)
			}
			all = len(suite.Cases)
			for _, c := range suite.Cases {
				if c.Failure != nil {
					failed++
				}
				if c.Skipped != nil {
					skipped++
				}
			}
			if all != suite.Tests || failed != suite.Failures || skipped != suite.Skipped {
				t.Errorf("junit says %+v of itself", suite)
			}
		}
		counts[format] = [3]int{all, failed, skipped}
	}
	if counts["text"] != counts["json"] || counts["text"] != counts["junit"] || counts["text"][0] != 13 || counts["text"][1] < 5 || counts["text"][2] < 3 {
		t.Errorf("all, failed, skipped: %v", counts)
	}
}

// What is wrong with a file is told before anything is sent, all of it at once.
func TestFaultyFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":             {"{}", "paths.create is missing"},
		"no body":             {"paths: {create: /a}", "bodies.A is missing"},
		"unknown field":       {"pahts: {create: /a}", "line 1: field pahts not found"},
		"no mapping":          {"- a", "line 1: cannot unmarshal"},
		"unknown path":        {"paths: {creat: /a}", `paths: "creat" is not one of create, other`},
		"unknown body":        {"bodies: {C: '{marker}'}", `bodies: "C" is not one of A, B, invalid`},
		"unknown caller":      {"callers: {Z: {}}", `callers: "Z" is not one of A, B, bad`},
		"unknown hook":        {"hooks: {explode: [x]}", `hooks: "explode" is not one of kill`},
		"hook of nothing":     {"hooks: {kill: []}", "hooks.kill has no command"},
		"unknown offer":       {"offers: [speed]", `offers: "speed" is not one of optional`},
		"no marker":           {"bodies: {A: {ref: x}}", "bodies.A has no {marker}"},
		"no effects":          {"paths: {create: /a}", "effects is missing"},
		"effects of all":      {"effects: {get: /orders}", "effects has no {marker}"},
		"two ways":            {"effects: {get: '/{marker}', command: [x]}", "effects has both get and command"},
		"half a fault":        {"fault: {header: X-Fault}", "fault needs a header and a value"},
		"no window":           {"offers: [short_window]", "window is missing"},
		"no lease":            {"offers: [phases]", "lease is missing"},
		"no such environment": {"callers: {A: {Authorization: '${CHECK_TEST_NOWHERE}'}}", "callers.A.Authorization: the environment has no CHECK_TEST_NOWHERE"},
	} {
		out, err := run(t, c.text, "--url", "http://127.0.0.1:1")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "check.yaml: ") || out != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "give --target FILE, or --client"},
		{[]string{"--target", "x", "--format", "xml"}, "--format xml is not text, json or junit"},
		{[]string{"--target", "x", "--timeout", "0s"}, "--timeout must be more than 0"},
		{[]string{"--target", "x", "--only", "IK-001,IK-9"}, "--only IK-9: there is no such case; there are IK-001"},
		{[]string{"more"}, `unknown argument "more"`},
		{[]string{"--client"}, "give the program after --client --"},
		{[]string{"--client", "--url", "http://x", "--", "true"}, "--client plays a server of its own"},
		{[]string{"--target", "x", "--answer", "y"}, "--answer, --answer-status and --key-header belong to --client"},
		{[]string{"--client", "--only", "IK-001", "--", "true"}, "--only IK-001: there is no such case; there are CL-001"},
	} {
		_, err := command(t.Context(), c.args...)
		if exitCode(err) != 2 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

// Where effects cannot be counted nothing is sent, since nothing could be proved.
func TestEffectsThatCannotBeCounted(t *testing.T) {
	t.Setenv("CHECK_TEST_TOKEN", "s3cr3t")
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			posts++
		}
		switch r.URL.Path {
		case "/text":
			_, _ = io.WriteString(w, "many")
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "/long":
			_, _ = w.Write(bytes.Repeat([]byte(" "), 5<<20))
		case "/away":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/seven":
			_, _ = io.WriteString(w, "7")
		default:
			_, _ = io.WriteString(w, `{"data": {"text": "many", "half": 1.5}}`)
		}
	}))
	t.Cleanup(server.Close)
	for effects, want := range map[string]string{
		`{get: "/x?{marker}", count: orders}`:               "the answer has no orders",
		`{get: "/x?{marker}", count: data.orders}`:          "the answer has no orders",
		`{get: "/x?{marker}", count: data.text.more}`:       "the answer has no more",
		`{get: "/x?{marker}", count: data.text}`:            "neither a list nor a number",
		`{get: "/x?{marker}", count: data.half}`:            "1.5, which is not a whole number",
		`{get: "/x?{marker}"}`:                              "neither a list nor a number",
		`{get: "/text?{marker}"}`:                           "the answer is not JSON",
		`{get: "/broken?{marker}"}`:                         "status 500",
		`{get: "/long?{marker}"}`:                           "longer than",
		`{get: "/away?{marker}"}`:                           "status 302",
		`{get: "/seven?{marker}"}`:                          "7 for a marker that was never sent",
		`{command: [sh, -c, "echo many {marker}"]}`:         "command sh printed",
		`{command: [sh, -c, "echo no {marker}>&2; false"]}`: "command sh: exit status 1: no RETRYSAFE-NONE",
		`{command: [no-such-program, "{marker}"]}`:          "no-such-program",
	} {
		_, err := run(t, "paths: {create: /orders}\nbodies: {A: '{marker}'}\neffects: "+effects, "--url", server.URL)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "effects cannot be counted") {
			t.Errorf("%s: %v", effects, err)
		}
	}
	if posts != 0 {
		t.Errorf("%d requests were sent", posts)
	}
}

// Effects can be counted in each of the ways that a file can name.
func TestWaysToCount(t *testing.T) {
	effects := map[string]int{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		name := r.URL.Query().Get("ref")
		switch {
		case r.Method == http.MethodPost:
			body, _ := io.ReadAll(r.Body)
			effects[string(body)] = 1
			if err := os.WriteFile(filepath.Join(r.Header.Get("X-Dir"), string(body)), nil, 0o600); err != nil {
				t.Error(err)
			}
			w.WriteHeader(http.StatusCreated)
		case r.URL.Path == "/number":
			fmt.Fprint(w, effects[name])
		case r.URL.Path == "/all":
			_ = json.NewEncoder(w).Encode(map[string]any{"by": effects})
		case effects[name] == 0:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = io.WriteString(w, `[{}]`)
		}
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	for _, way := range []string{
		`{get: "/number?ref={marker}"}`, `{get: "/all", count: "by.{marker}"}`, `{get: "/list?ref={marker}"}`,
		`{command: [sh, -c, "ls ` + dir + ` | grep -c {marker} || true"]}`,
	} {
		text := "paths: {create: /orders}\nbodies: {A: '{marker}'}\nmedia_type: text/plain\ncallers: {A: {X-Dir: " + dir + "}}\neffects: " + way
		if out, err := run(t, text, "--url", server.URL, "--only", "IK-001"); err != nil {
			t.Errorf("%s: %v\n%s", way, err, out)
		}
	}
}

// The file to start from is one that can be read, once its variables are there.
func TestExampleFile(t *testing.T) {
	text, err := command(t.Context(), "--example")
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(t, text)
	const both = "callers.A.Authorization: the environment has no CHECK_TOKEN_A\ncallers.B.Authorization: the environment has no CHECK_TOKEN_B"
	if err == nil || !strings.Contains(err.Error(), both) {
		t.Errorf("without its variables: %v", err)
	}
	t.Setenv("CHECK_TOKEN_A", "a")
	t.Setenv("CHECK_TOKEN_B", "b")
	if _, err := run(t, text, "--url", "http://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "effects cannot be counted") {
		t.Errorf("with them: %v", err)
	}
	if _, err := run(t, text, "--url", "127.0.0.1"); err == nil || !strings.Contains(err.Error(), "is not the address of a server") {
		t.Errorf("without a scheme: %v", err)
	}
}

// A run that is interrupted proves nothing, and a server that hangs fails its case.
func TestHangingServer(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			<-hang
		}
		_, _ = io.WriteString(w, "0")
	}))
	defer server.Close()
	defer close(hang)
	text := "paths: {create: /orders}\nbodies: {A: '{marker}'}\neffects: {get: '/?{marker}'}"
	out, err := run(t, text, "--url", server.URL, "--only", "IK-001", "--timeout", "50ms")
	if exitCode(err) != 1 || !strings.Contains(out, "deadline exceeded") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A program that makes one call, and never again, is checked like a server: by the same report and the same exit code.
func TestClient(t *testing.T) {
	answer := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(answer, []byte(`{"id":"order-1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(envGot, answer+".got")
	out, err := command(t.Context(), "--client", "--answer", answer, "--answer-status", "200", "--key-header", "X-Key",
		"--only", "CL-002,CL-003,CL-009,CL-013", "--", os.Args[0])
	if exitCode(err) != 1 || !strings.Contains(out, "2 passed; failed: 1 that must pass, 1 that should") || !strings.Contains(out, "1 different keys, expected 2") {
		t.Errorf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(answer + ".got"); err != nil || string(got) != `{"id":"order-1"}` {
		t.Errorf("the program was answered %s, %v", got, err)
	}
}

func ExampleCommand() {
	server := httptest.NewServer(&shop{collapses: false, orders: map[string][]string{}, kept: map[string]string{}})
	defer server.Close()
	_ = os.Setenv("CHECK_TEST_TOKEN", "s3cr3t")
	file := filepath.Join(os.TempDir(), "retrysafe-check-example.yaml")
	if err := os.WriteFile(file, []byte(described), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file)
	cmd := check.Command()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(io.Discard) // the report
	cmd.SetArgs([]string{"--target", file, "--url", server.URL, "--only", "IK-001"})
	fmt.Println(cmd.Execute())
	// Output: cases failed: 1
}
