package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// shop is a handler that counts its effects.
type shop struct {
	effects atomic.Int64
	handle  func(w http.ResponseWriter, r *http.Request, n int64)
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.effects.Add(1)
	if s.handle != nil {
		s.handle(w, r, n)
		return
	}
	w.Header().Set("Location", "/orders/"+strconv.FormatInt(n, 10))
	w.Header().Set("Set-Cookie", "session=secret")
	w.Header().Add("Link", "</a>; rel=a")
	w.Header().Add("Link", "</b>; rel=b")
	w.Header().Set("X-Internal", "first only")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%d}`, n)
}

func options() idempotency.Options {
	return idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("X-Caller"), nil },
		Failures: idempotency.StoreFailures,
	}
}

func mount(t *testing.T, s *shop, change func(*idempotency.Options)) http.Handler {
	t.Helper()
	opts := options()
	if change != nil {
		change(&opts)
	}
	return idempotency.Middleware(idempotency.NewMemory(nil), opts)(s)
}

type send struct {
	method, target, body, caller string
	keys                         []string
	header                       map[string]string
}

func (s send) to(h http.Handler) *http.Response {
	if s.method == "" {
		s.method = http.MethodPost
	}
	if s.target == "" {
		s.target = "/orders"
	}
	if s.caller == "" {
		s.caller = "alice"
	}
	r := httptest.NewRequest(s.method, s.target, strings.NewReader(s.body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Caller", s.caller)
	if s.caller == "nobody" {
		r.Header.Del("X-Caller")
	}
	for name, value := range s.header {
		r.Header.Set(name, value)
	}
	if s.keys != nil {
		r.Header["Idempotency-Key"] = s.keys
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func codeOf(t *testing.T, r *http.Response) string {
	t.Helper()
	if ct := r.Header.Get("Content-Type"); ct != "application/problem+json" {
		t.Fatalf("Content-Type %q, want a problem document", ct)
	}
	var p struct {
		Type   string `json:"type"`
		Code   string `json:"code"`
		Status int    `json:"status"`
	}
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.Status != r.StatusCode || !strings.HasSuffix(p.Type, "#"+p.Code) {
		t.Fatalf("problem %+v under status %d", p, r.StatusCode)
	}
	return p.Code
}

func TestReplayIsVerbatim(t *testing.T) {
	s := &shop{}
	h := mount(t, s, nil)
	first := send{keys: []string{"k1"}, body: "{}"}.to(h)
	second := send{keys: []string{`"k1"`}, body: "{}"}.to(h) // the quoted form is the same key
	if first.StatusCode != http.StatusCreated || second.StatusCode != first.StatusCode {
		t.Fatalf("statuses %d, %d", first.StatusCode, second.StatusCode)
	}
	if a, b := text(t, first), text(t, second); a != b || a != `{"id":1}` {
		t.Fatalf("bodies %q, %q", a, b)
	}
	for _, name := range []string{"Location", "Content-Type"} {
		if first.Header.Get(name) != second.Header.Get(name) || first.Header.Get(name) == "" {
			t.Errorf("%s: %q, replayed %q", name, first.Header.Get(name), second.Header.Get(name))
		}
	}
	if got := second.Header.Values("Link"); len(got) != 2 {
		t.Errorf("Link replayed as %q", got)
	}
	if first.Header.Get("Set-Cookie") == "" || second.Header.Get("Set-Cookie") != "" || second.Header.Get("X-Internal") != "" {
		t.Errorf("cookie or unlisted header: first %v, replay %v", first.Header, second.Header)
	}
	if first.Header.Get("Idempotent-Replayed") != "" || second.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the replay, and only the replay, is marked")
	}
	if second.Header.Get("Idempotency-Replay-Window") != "86400" {
		t.Error("the window is not published")
	}
	if n := s.effects.Load(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestRefusedRequests(t *testing.T) {
	long := strings.Repeat("k", 256)
	for name, c := range map[string]struct {
		send   send
		change func(*idempotency.Options)
		status int
		code   idempotency.Code
	}{
		"no key":         {send: send{}, status: 400, code: idempotency.CodeKeyRequired},
		"empty":          {send: send{keys: []string{""}}, status: 400, code: idempotency.CodeKeyEmpty},
		"empty quoted":   {send: send{keys: []string{`""`}}, status: 400, code: idempotency.CodeKeyEmpty},
		"two headers":    {send: send{keys: []string{"a", "b"}}, status: 400, code: idempotency.CodeKeyMultiple},
		"too long":       {send: send{keys: []string{long}}, status: 400, code: idempotency.CodeKeyTooLong},
		"control":        {send: send{keys: []string{"a\x01b"}}, status: 400, code: idempotency.CodeKeyInvalid},
		"not ASCII":      {send: send{keys: []string{"ключ"}}, status: 400, code: idempotency.CodeKeyInvalid},
		"open quote":     {send: send{keys: []string{`"abc`}}, status: 400, code: idempotency.CodeKeyInvalid},
		"two in one":     {send: send{keys: []string{`"a", "b"`}}, status: 400, code: idempotency.CodeKeyInvalid},
		"unknown caller": {send: send{keys: []string{"a"}, caller: "nobody"}, status: 401, code: idempotency.CodeCallerUnknown},
		"too short": {
			send: send{keys: []string{"abc"}}, change: func(o *idempotency.Options) { o.KeyMin = 20 },
			status: 400, code: idempotency.CodeKeyTooShort,
		},
		"large body": {
			send: send{keys: []string{"a"}, body: strings.Repeat("x", 101)}, change: func(o *idempotency.Options) { o.MaxBody = 100 },
			status: 413, code: idempotency.CodeBodyTooLarge,
		},
		"key refused": {
			send: send{keys: []string{"a"}}, change: func(o *idempotency.Options) { o.Key = idempotency.KeyRefused },
			status: 400, code: idempotency.CodeKeyRefused,
		},
		"first sent before the window": {
			send:   send{keys: []string{"a"}, header: map[string]string{"Repeatability-First-Sent": ago(25 * time.Hour)}},
			change: func(o *idempotency.Options) { o.FirstSent = "Repeatability-First-Sent" },
			status: 412, code: idempotency.CodeFirstSentExpired,
		},
		"first sent at no time": {
			send:   send{keys: []string{"a"}, header: map[string]string{"Repeatability-First-Sent": "yesterday"}},
			change: func(o *idempotency.Options) { o.FirstSent = "Repeatability-First-Sent" },
			status: 400, code: idempotency.CodeKeyInvalid,
		},
		"fingerprint": {
			send: send{keys: []string{"a"}, body: "[]"}, change: func(o *idempotency.Options) { o.Fingerprint = idempotency.JSONFields("params") },
			status: 400, code: idempotency.CodeBodyUnreadable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{}
			resp := c.send.to(mount(t, s, c.change))
			if resp.StatusCode != c.status || codeOf(t, resp) != string(c.code) {
				t.Errorf("status %d", resp.StatusCode)
			}
			if s.effects.Load() != 0 {
				t.Error("the handler ran")
			}
		})
	}
}

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(http.TimeFormat) }

func TestFirstSentWithinTheWindow(t *testing.T) {
	for name, c := range map[string]struct{ option, value string }{
		"within":         {"Repeatability-First-Sent", ago(23 * time.Hour)},
		"a fast clock":   {"Repeatability-First-Sent", ago(-time.Minute)},
		"no such header": {"Repeatability-First-Sent", ""},
		"not read":       {"", ago(25 * time.Hour)},
	} {
		s := &shop{}
		h := mount(t, s, func(o *idempotency.Options) { o.FirstSent = c.option })
		header := map[string]string{"Repeatability-First-Sent": c.value}
		if resp := (send{keys: []string{"a"}, header: header}).to(h); resp.StatusCode != http.StatusCreated || s.effects.Load() != 1 {
			t.Errorf("%s: status %d, %d effects", name, resp.StatusCode, s.effects.Load())
		}
	}
}

func TestPassThrough(t *testing.T) {
	for name, c := range map[string]struct {
		send   send
		change func(*idempotency.Options)
	}{
		"GET":      {send: send{method: http.MethodGet, keys: []string{"k"}}},
		"optional": {send: send{}, change: func(o *idempotency.Options) { o.Key = idempotency.KeyOptional }},
		"refused":  {send: send{}, change: func(o *idempotency.Options) { o.Key = idempotency.KeyRefused }},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{}
			h := mount(t, s, c.change)
			c.send.to(h)
			if resp := c.send.to(h); resp.Header.Get("Idempotent-Replayed") != "" || s.effects.Load() != 2 {
				t.Errorf("%d effects", s.effects.Load())
			}
		})
	}
}

func TestScopesAreApart(t *testing.T) {
	s := &shop{}
	h := mount(t, s, nil)
	for i, c := range []send{
		{caller: "alice", keys: []string{"k"}},
		{caller: "bob", keys: []string{"k"}},
		{caller: "a:b", keys: []string{"c"}},
		{caller: "a", keys: []string{"b:c"}},
		{caller: "alice", keys: []string{"K"}},
		{caller: "alice", keys: []string{"k"}, target: "/refunds"},
		{caller: "alice", keys: []string{"k"}, method: http.MethodPut},
		{caller: "alice", keys: []string{strings.Repeat("k", 255)}},
	} {
		if resp := c.to(h); resp.StatusCode != http.StatusCreated || s.effects.Load() != int64(i+1) {
			t.Errorf("request %d: status %d, %d effects", i, resp.StatusCode, s.effects.Load())
		}
	}
}

func TestReusedKey(t *testing.T) {
	first := send{keys: []string{"k"}, body: `{"amount":1}`}
	for name, c := range map[string]struct {
		second send
		change func(*idempotency.Options)
		status int
	}{
		"body":         {second: send{body: `{"amount":2}`}, status: 409},
		"spaces":       {second: send{body: `{"amount": 1}`}, status: 409},
		"query":        {second: send{body: first.body, target: "/orders?dry=1"}, status: 409},
		"content type": {second: send{body: first.body, header: map[string]string{"Content-Type": "text/plain"}}, status: 409},
		"422": {
			second: send{body: `{"amount":2}`}, status: 422,
			change: func(o *idempotency.Options) { o.ReusedStatus = http.StatusUnprocessableEntity },
		},
		"one operation for two paths": {
			second: send{body: first.body, target: "/orders/2"}, status: 409,
			change: func(o *idempotency.Options) { o.Operation = func(*http.Request) string { return "any" } },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{}
			h := mount(t, s, c.change)
			first.to(h)
			c.second.keys = first.keys
			resp := c.second.to(h)
			if resp.StatusCode != c.status || resp.Header.Get("X-Should-Retry") != "false" || codeOf(t, resp) != string(idempotency.CodeReused) {
				t.Errorf("status %d, header %v", resp.StatusCode, resp.Header)
			}
			if again := first.to(h); again.StatusCode != 201 || s.effects.Load() != 1 {
				t.Error("the original no longer replays")
			}
		})
	}
}

func TestReusedAnswerLeaksNothing(t *testing.T) {
	s := &shop{}
	h := mount(t, s, nil)
	send{keys: []string{"key-1234567890"}, body: `{"card":"SECRET-1"}`}.to(h)
	body := text(t, send{keys: []string{"key-1234567890"}, body: `{"card":"SECRET-2"}`}.to(h))
	for _, leak := range []string{"SECRET", "key-1234567890", `"id"`} {
		if strings.Contains(body, leak) {
			t.Errorf("%q shows in %s", leak, body)
		}
	}
	if !strings.Contains(body, `"original":"complete"`) {
		t.Errorf("the original's state is missing in %s", body)
	}
}

func TestCanonicalJSON(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"order and spaces":   {`{"a":1,"b":[1,2]}`, `{ "b": [1,2], "a": 1 }`, true},
		"number text":        {`{"a":1}`, `{"a":1.0}`, false},
		"number and string":  {`{"a":1}`, `{"a":"1"}`, false},
		"order of a list":    {`[1,2]`, `[2,1]`, false},
		"null and absent":    {`{"a":null}`, `{}`, false},
		"duplicate member":   {`{"a":1,"a":2}`, `{"a":2}`, false},
		"not JSON":           {`a b`, `a  b`, false},
		"two values":         {`{"a":1} {}`, `{"a":1}`, false},
		"escape of one text": {`{"a":"A"}`, `{"a":"\u0041"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{}
			h := mount(t, s, func(o *idempotency.Options) { o.Fingerprint = idempotency.CanonicalJSON() })
			send{keys: []string{"k"}, body: c.a}.to(h)
			again := send{keys: []string{"k"}, body: c.b}.to(h)
			if got := again.StatusCode == http.StatusCreated; got != c.same {
				t.Errorf("same = %v", got)
			}
		})
	}
}

func TestJSONFields(t *testing.T) {
	s := &shop{}
	h := mount(t, s, func(o *idempotency.Options) { o.Fingerprint = idempotency.JSONFields("method", "params.order") })
	body := `{"jsonrpc":"2.0","id":%d,"method":"pay","params":{"order":{"ref":%q},"trace":%d}}`
	for i, c := range []struct {
		id     int
		ref    string
		status int
	}{{1, "a", 201}, {2, "a", 201}, {3, "b", 409}} {
		if resp := (send{keys: []string{"k"}, body: fmt.Sprintf(body, c.id, c.ref, i)}).to(h); resp.StatusCode != c.status {
			t.Errorf("request %d: status %d", i, resp.StatusCode)
		}
	}
}

func TestInFlight(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*idempotency.Options)
		status int
	}{
		"reject": {status: 409},
		"accept": {status: 202, change: func(o *idempotency.Options) {
			o.InFlight = idempotency.InFlightAccept
			o.StatusURL = func(*http.Request, idempotency.Record) string { return "/status/1" }
		}},
		"wait too long": {status: 409, change: func(o *idempotency.Options) {
			o.InFlight, o.MaxWait = idempotency.InFlightWait, time.Second
		}},
		"wait": {status: 201, change: func(o *idempotency.Options) { o.InFlight = idempotency.InFlightWait }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &shop{handle: func(w http.ResponseWriter, _ *http.Request, _ int64) {
					time.Sleep(4 * time.Second)
					w.WriteHeader(http.StatusCreated)
				}}
				h := mount(t, s, c.change)
				go send{keys: []string{"k"}, body: "1"}.to(h)
				time.Sleep(time.Second)
				reused := send{keys: []string{"k"}, body: "2"}.to(h)
				if got := codeOf(t, reused); got != string(idempotency.CodeReused) {
					t.Errorf("changed payload in flight: %s", got)
				}
				rival := send{keys: []string{"k"}, body: "1"}.to(h)
				if rival.StatusCode != c.status {
					t.Errorf("status %d, want %d", rival.StatusCode, c.status)
				}
				if c.status != http.StatusCreated {
					if got := codeOf(t, rival); got != string(idempotency.CodeInProgress) {
						t.Errorf("code %s", got)
					}
					if rival.Header.Get("Retry-After") != "1" {
						t.Errorf("Retry-After %q", rival.Header.Get("Retry-After"))
					}
				}
				if c.status == http.StatusAccepted && rival.Header.Get("Location") != "/status/1" {
					t.Error("no status URL")
				}
				time.Sleep(10 * time.Second)
				if s.effects.Load() != 1 {
					t.Errorf("%d effects", s.effects.Load())
				}
			})
		})
	}
}

func TestFailures(t *testing.T) {
	fail := func(w http.ResponseWriter, _ *http.Request, n int64) {
		if n == 1 {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}
	explode := func(w http.ResponseWriter, _ *http.Request, n int64) {
		if n == 1 {
			panic("after the effect")
		}
		w.WriteHeader(http.StatusCreated)
	}
	invalid := func(w http.ResponseWriter, r *http.Request, _ int64) {
		idempotency.NoEffect(r.Context())
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	for name, c := range map[string]struct {
		handle        func(http.ResponseWriter, *http.Request, int64)
		failures      idempotency.Failures
		first, second int
		effects       int64
	}{
		"500 kept":                          {fail, idempotency.StoreFailures, 500, 500, 1},
		"500 kept for its outcome":          {fail, idempotency.ReattemptFailures, 500, 500, 1},
		"panic kept":                        {explode, idempotency.StoreFailures, 0, 500, 1},
		"panic kept for its outcome":        {explode, idempotency.ReattemptFailures, 0, 500, 1},
		"validation released by StoreFail.": {invalid, idempotency.StoreFailures, 422, 422, 2},
		"validation released":               {invalid, idempotency.ReattemptFailures, 422, 422, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{handle: c.handle}
			h := mount(t, s, func(o *idempotency.Options) { o.Failures = c.failures })
			func() {
				defer func() {
					if v := recover(); (v != nil) != (c.first == 0) {
						t.Errorf("recovered %v", v)
					}
				}()
				if got := (send{keys: []string{"k"}}).to(h).StatusCode; got != c.first {
					t.Errorf("first %d", got)
				}
			}()
			second := send{keys: []string{"k"}}.to(h)
			if second.StatusCode != c.second || s.effects.Load() != c.effects {
				t.Errorf("second %d, %d runs", second.StatusCode, s.effects.Load())
			}
			if c.first == 0 && codeOf(t, second) != string(idempotency.CodeOutcomeUnknown) {
				t.Error("a panic's outcome is unknown")
			}
		})
	}
}

func TestLargeAnswerIsNotKeptAndNotRepeated(t *testing.T) {
	s := &shop{handle: func(w http.ResponseWriter, r *http.Request, _ int64) {
		idempotency.SetResource(r.Context(), "order-7")
		w.Header().Set("Location", "/orders/7")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(make([]byte, 2_000_000))
	}}
	h := mount(t, s, nil)
	if got := text(t, send{keys: []string{"k"}}.to(h)); len(got) != 2_000_000 {
		t.Fatalf("the first caller got %d bytes", len(got))
	}
	again := send{keys: []string{"k"}}.to(h)
	if again.StatusCode != http.StatusGone || again.Header.Get("Location") != "/orders/7" {
		t.Errorf("status %d, header %v", again.StatusCode, again.Header)
	}
	if body := text(t, again); !strings.Contains(body, `"resource_id":"order-7"`) || s.effects.Load() != 1 {
		t.Errorf("%s; %d effects", body, s.effects.Load())
	}
}

func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{handle: func(w http.ResponseWriter, r *http.Request, _ int64) {
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusInternalServerError)
			case <-time.After(time.Second):
				w.WriteHeader(http.StatusCreated)
			}
		}}
		h := mount(t, s, nil)
		ctx, hangUp := context.WithCancel(t.Context())
		r := httptest.NewRequest(http.MethodPost, "/orders", nil).WithContext(ctx)
		r.Header.Set("X-Caller", "alice")
		r.Header.Set("Idempotency-Key", "k")
		r.Header.Set("Content-Type", "application/json")
		go h.ServeHTTP(httptest.NewRecorder(), r)
		time.Sleep(100 * time.Millisecond)
		hangUp()
		time.Sleep(2 * time.Second)
		if resp := (send{keys: []string{"k"}}).to(h); resp.StatusCode != 201 || s.effects.Load() != 1 {
			t.Errorf("status %d, %d effects", resp.StatusCode, s.effects.Load())
		}
	})
}

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{handle: func(w http.ResponseWriter, _ *http.Request, n int64) {
			if n == 1 {
				time.Sleep(90 * time.Second) // longer than the window and than the lease
			}
			fmt.Fprint(w, n)
		}}
		h := mount(t, s, func(o *idempotency.Options) { o.ReplayWindow = time.Minute })
		go send{keys: []string{"k"}}.to(h)
		time.Sleep(80 * time.Second)
		if resp := (send{keys: []string{"k"}}).to(h); resp.StatusCode != 409 {
			t.Fatalf("expiry while in flight: status %d", resp.StatusCode)
		}
		time.Sleep(20 * time.Second)
		if got := text(t, send{keys: []string{"k"}}.to(h)); got != "1" {
			t.Errorf("within the window: %q", got)
		}
		time.Sleep(time.Minute)
		if got := text(t, send{keys: []string{"k"}}.to(h)); got != "2" {
			t.Errorf("after the window: %q", got)
		}
	})
}

func TestRivals(t *testing.T) {
	s := &shop{handle: func(w http.ResponseWriter, _ *http.Request, n int64) { fmt.Fprint(w, n) }}
	h := mount(t, s, nil)
	for key := range 50 {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				resp := send{keys: []string{strconv.Itoa(key)}}.to(h)
				if resp.StatusCode != 200 && resp.StatusCode != 409 {
					t.Errorf("status %d", resp.StatusCode)
				}
			})
		}
		wg.Wait()
	}
	if n := s.effects.Load(); n != 50 {
		t.Errorf("%d effects of 50 keys", n)
	}
}

func TestStreamingIsRefusedClearly(t *testing.T) {
	s := &shop{handle: func(w http.ResponseWriter, _ *http.Request, _ int64) {
		rc := http.NewResponseController(w)
		if err := rc.Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Flush: %v", err)
		}
		if _, _, err := rc.Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Hijack: %v", err)
		}
		if _, ok := w.(http.Flusher); ok {
			t.Error("a writer that cannot flush says that it can")
		}
		w.WriteHeader(http.StatusNoContent)
		if _, err := io.WriteString(w, "x"); !errors.Is(err, http.ErrBodyNotAllowed) {
			t.Errorf("body of a 204: %v", err)
		}
	}}
	if resp := (send{keys: []string{"k"}}).to(mount(t, s, nil)); resp.StatusCode != http.StatusNoContent {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*idempotency.Options)
		want   string
	}{
		"caller":       {func(o *idempotency.Options) { o.Caller = nil }, "Caller"},
		"failures":     {func(o *idempotency.Options) { o.Failures = 0 }, "Failures"},
		"cookie":       {func(o *idempotency.Options) { o.ReplayHeaders = []string{"set-cookie"} }, "set-cookie"},
		"window":       {func(o *idempotency.Options) { o.RetryChain = 72 * time.Hour }, "RetryChain"},
		"status":       {func(o *idempotency.Options) { o.ReusedStatus = 400 }, "ReusedStatus"},
		"status URL":   {func(o *idempotency.Options) { o.InFlight = idempotency.InFlightAccept }, "StatusURL"},
		"key bounds":   {func(o *idempotency.Options) { o.KeyMin = 300 }, "KeyMin"},
		"negative":     {func(o *idempotency.Options) { o.Lease = -1 }, "negative"},
		"unknown rule": {func(o *idempotency.Options) { o.Key = 9 }, "Key"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options()
			c.change(&opts)
			err := opts.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one about %s", err, c.want)
			}
			defer func() {
				if recover() == nil {
					t.Error("Middleware took the options")
				}
			}()
			idempotency.Middleware(idempotency.NewMemory(nil), opts)
		})
	}
	opts := options()
	opts.ReplayWindow, opts.RetryChain = 100*time.Hour, 72*time.Hour
	if err := opts.Validate(); err != nil {
		t.Error(err)
	}
}

func TestDeadline(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1500": 1500 * time.Millisecond, "2S": 2 * time.Second, "3H": 3 * time.Hour, "250m": 250 * time.Millisecond,
		"9223372036854775807": 30 * 24 * time.Hour, "9223372036854775807H": 30 * 24 * time.Hour,
		"": 0, "-5": 0, "0": 0, "soon": 0, "S": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			var left time.Duration
			s := &shop{handle: func(_ http.ResponseWriter, r *http.Request, _ int64) {
				if at, ok := r.Context().Deadline(); ok {
					left = time.Until(at)
				}
			}}
			h := idempotency.Deadline("X-Time-Left")(mount(t, s, nil))
			send{keys: []string{"k"}, header: map[string]string{"X-Time-Left": value}}.to(h)
			if left != want {
				t.Errorf("%q: %v, want %v", value, left, want)
			}
		})
	}
}
