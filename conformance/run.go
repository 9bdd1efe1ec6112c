package conformance

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Verdict is the outcome of a case.
type Verdict string

// The verdicts.
const (
	Pass     Verdict = "pass"
	Fail     Verdict = "fail"
	Skip     Verdict = "skip" // the target does not offer what the case needs
	Reported Verdict = "info" // an info case: Detail says what the server does
)

// Result is what a case showed.
type Result struct {
	ID      string
	Level   Level
	Title   string
	Verdict Verdict
	Detail  string
	Took    time.Duration
}

// Run runs one case. The error of a case that could not be carried out is a failure.
func Run(ctx context.Context, target Target, c Case) Result {
	result := Result{ID: c.ID, Level: c.Level, Title: c.Title, Verdict: Fail}
	target, err := target.withDefaults()
	if err != nil {
		result.Detail = err.Error()
		return result
	}
	if need := target.missing(c); need != "" {
		result.Verdict, result.Detail = Skip, "needs "+need
		return result
	}
	run := newRun(target)
	defer run.client.CloseIdleConnections()
	began := time.Now()
	err = run.steps(ctx, c.Steps)
	if err == nil {
		err = run.check(ctx, c.Expect)
	}
	result.Took = time.Since(began)
	switch {
	case c.Level == Info:
		result.Verdict, result.Detail = Reported, run.report(c.Expect.Report, err)
	case err != nil:
		result.Detail = err.Error()
	default:
		result.Verdict = Pass
	}
	return result
}

// run is the state of one case.
type run struct {
	target Target
	client *http.Client
	id     string // makes keys and markers unique

	pending sync.WaitGroup

	mu      sync.Mutex
	answers map[string]answer
	burst   []answer
	keys    map[string]string
	markers []string // one for each key of a stagger
	wall    time.Duration
}

func newRun(target Target) *run {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	return &run{
		target: target, client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		id: rand.Text()[:12], answers: map[string]answer{}, keys: map[string]string{},
	}
}

func (r *run) steps(ctx context.Context, steps []Step) error {
	defer r.pending.Wait()
	for _, step := range steps {
		switch {
		case step.Send != nil:
			r.keep(step.Send.As, r.send(ctx, *step.Send, 0, r.id))
		case step.Start != nil:
			r.pending.Go(func() { r.keep(step.Start.As, r.send(ctx, *step.Start, 0, r.id)) })
		case step.Parallel != nil:
			r.fire(ctx, *step.Parallel, r.id, 0)
		case step.Stagger != nil:
			for k := range max(1, step.Stagger.Keys) {
				marker := r.id + "-" + strconv.Itoa(len(r.markers))
				if step.Stagger.Keys == 1 {
					marker = r.id
				}
				r.markers = append(r.markers, marker)
				r.fire(ctx, *step.Stagger, marker, k+1)
			}
		case step.Wait != nil:
			if err := r.wait(ctx, *step.Wait); err != nil {
				return err
			}
		case step.Hook != "":
			if err := r.target.Hooks[step.Hook](ctx); err != nil {
				return fmt.Errorf("hook %s: %w", step.Hook, err)
			}
			if r.target.Resolve != nil {
				r.target.URL = r.target.Resolve()
			}
		}
	}
	return nil
}

func (r *run) wait(ctx context.Context, d Duration) error {
	total := time.Duration(d.Millis) * time.Millisecond
	if d.Lease {
		total += r.target.Lease
	}
	if d.Window {
		total += r.target.Window
	}
	return pause(ctx, total)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// fire sends a burst: all at once, or the step apart.
func (r *run) fire(ctx context.Context, b Burst, marker string, series int) {
	began := time.Now()
	var wg sync.WaitGroup
	for i := range b.N {
		wg.Go(func() {
			spin(time.Duration(i*b.StepMicro) * time.Microsecond)
			send := b.Send
			own := series
			if b.OwnKeys {
				own = i + 1
			}
			a := r.send(ctx, send, own, marker)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.burst = append(r.burst, a)
		})
	}
	wg.Wait()
	r.wall += time.Since(began)
}

// spin waits a short time more exactly than a timer does.
func spin(d time.Duration) {
	end := time.Now().Add(d)
	if d > 5*time.Millisecond {
		timer := time.NewTimer(d - 2*time.Millisecond)
		<-timer.C
	}
	for time.Now().Before(end) {
	}
}

func (r *run) keep(name string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[name] = a
}

// key makes the key of a request. A series gives each of its requests, or each of its keys, another one.
func (r *run) key(s Send, series int) string {
	name := s.Key
	if name == "" {
		name = "K1"
	}
	key := r.id + "-" + name
	switch {
	case s.Literal:
		key = name
	case s.Suffix:
		key = name + "-" + r.id
	}
	if series > 0 {
		key += "-" + strconv.Itoa(series)
	}
	if n := s.Length - len(key); n > 0 {
		key = strings.Repeat("x", n) + key
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[name] = key
	return key
}

// send sends one request, again while it is to settle and its answer is not final.
func (r *run) send(ctx context.Context, s Send, series int, marker string) answer {
	key := r.key(s, series)
	limit := time.Now().Add(time.Duration(s.Settle) * time.Millisecond)
	for {
		a := r.once(ctx, s, key, marker)
		a.key = key
		settled := a.err == nil && a.status != http.StatusServiceUnavailable && a.code() != r.target.InProgress
		if settled || time.Now().After(limit) {
			return a
		}
		wait := 100 * time.Millisecond
		if ms, err := strconv.Atoi(a.header.Get("Retry-After-Ms")); err == nil {
			wait = min(time.Second, time.Duration(ms)*time.Millisecond)
		}
		if err := pause(ctx, wait); err != nil {
			return a
		}
	}
}

func (r *run) once(ctx context.Context, s Send, key, marker string) answer {
	mediaType, body := r.body(s, marker)
	method := s.Method
	if method == "" {
		method = http.MethodPost
	}
	if s.HangUp > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(s.HangUp)*time.Millisecond)
		defer cancel()
	}
	url := r.target.URL + r.target.Paths[s.path()]
	if s.Query != "" {
		url += "?" + s.Query
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.GetBody = nil // net/http must not send again by itself
	req.Header.Set("Content-Type", mediaType)
	r.setKey(req, s, key)
	for name, value := range s.Header {
		req.Header.Set(name, value)
	}
	if r.target.Authorize != nil {
		r.target.Authorize(req, s.caller())
	}
	for name, value := range s.Fault {
		r.target.Fault(req, name, value)
	}
	return r.do(req, s.Fresh, body)
}

func (r *run) setKey(req *http.Request, s Send, key string) {
	switch {
	case s.NoKey:
	case s.Empty:
		req.Header[r.target.Header] = []string{""}
	case s.Twice:
		req.Header[r.target.Header] = []string{key, key + "-2"}
	case s.Quoted:
		req.Header.Set(r.target.Header, strconv.Quote(key))
	default:
		req.Header.Set(r.target.Header, key)
	}
}

func (r *run) body(s Send, marker string) (mediaType string, body []byte) {
	mediaType, body = r.target.Body(marker, s.variant())
	if s.Raw != "" {
		mediaType, body = "application/json", []byte(strings.ReplaceAll(s.Raw, "MARKER", marker))
	}
	if s.Reorder {
		body = reorder(body)
	}
	if s.Pad > 0 {
		body = append(bytes.Repeat([]byte(" "), s.Pad), body...)
	}
	if s.Type != "" {
		mediaType = s.Type
	}
	return mediaType, body
}

// quoted is a member's name in JSON.
func quoted(name json.Token) []byte {
	text, err := json.Marshal(fmt.Sprint(name))
	if err != nil {
		return nil // a string cannot fail
	}
	return text
}

// reorder turns the members of a JSON object around. Nil: it is none, or has fewer than two.
func reorder(body []byte) []byte {
	var values map[string]json.RawMessage
	if json.Unmarshal(body, &values) != nil || len(values) < 2 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	_, _ = dec.Token() // the opening brace, and what follows is known to be well-formed
	var members []string
	for dec.More() {
		token, _ := dec.Token()
		var value json.RawMessage
		_ = dec.Decode(&value)
		members = append(members, fmt.Sprintf("%s: %s", quoted(token), value))
	}
	slices.Reverse(members)
	return []byte("{ " + strings.Join(members, ", ") + " }")
}

func (r *run) do(req *http.Request, fresh bool, sent []byte) answer {
	client := r.client
	if fresh {
		transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
		defer transport.CloseIdleConnections()
		client = &http.Client{Transport: transport, CheckRedirect: r.client.CheckRedirect}
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err, sent: sent}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: string(body), err: err, sent: sent}
}

// report tells what an info case saw.
func (r *run) report(name string, err error) string {
	text := ""
	if a, ok := r.answers[name]; ok {
		text = fmt.Sprintf("%s: %d", name, a.status)
		if code := a.code(); code != "" {
			text += " " + code
		}
		if a.marked(r.target.Marker) {
			text += ", replayed"
		}
		if window := a.header.Get("Idempotency-Replay-Window"); window != "" {
			text += ", window " + window + " s"
		}
	}
	if err != nil {
		text += "; unlike the case: " + err.Error()
	}
	return strings.TrimPrefix(text, "; ")
}
