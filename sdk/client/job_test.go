package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

type (
	exportStatus struct {
		Status *string `json:"status,omitempty"`
		Rows   int64   `json:"rows,omitempty"`
	}
	export struct {
		URL string `json:"url"`
	}
)

func jobOp(job Job) *Operation {
	return &Operation{
		Call: transport.Operation{ID: "createExport", Method: http.MethodPost, Path: "/exports"},
		Job:  &job,
	}
}

// jobServer answers by path, each time with the next answer and at last with the last one again.
type jobServer struct {
	answers map[string][]jobAnswer
	seen    []string
	waits   []time.Duration
	last    time.Time
}

type jobAnswer struct {
	status int
	header http.Header
	body   string
}

func (s *jobServer) RoundTrip(req *http.Request) (*http.Response, error) {
	at := req.Method + " " + req.URL.Path
	s.seen = append(s.seen, at)
	s.waits = append(s.waits, time.Since(s.last))
	s.last = time.Now()
	answers := s.answers[at]
	if len(answers) == 0 {
		return flowAnswer(req, http.StatusNotFound, nil, `{"code":"no_such_job"}`), nil
	}
	if len(answers) > 1 {
		s.answers[at] = answers[1:]
	}
	return flowAnswer(req, answers[0].status, answers[0].header.Clone(), answers[0].body), nil
}

func accepted(header ...string) jobAnswer {
	a := jobAnswer{status: http.StatusAccepted, header: http.Header{}, body: `{}`}
	for i := 0; i < len(header); i += 2 {
		a.header.Set(header[i], header[i+1])
	}
	return a
}

func statusOf(word string) jobAnswer {
	return jobAnswer{status: 200, body: `{"status":"` + word + `","rows":7}`}
}

var resultAnswer = jobAnswer{status: 200, body: `{"url":"https://files.example.com/1"}`}

var byWord = Job{Status: []string{"Status"}}

func TestJobs(t *testing.T) {
	const start, status, result = "POST /v1/exports", "GET /v1/jobs/1", "GET /v1/exports/1"
	tests := []struct {
		name   string
		job    Job
		method string
		server map[string][]jobAnswer
		seen   []string
	}{
		{
			name: "Location, 202 until 200", job: Job{},
			server: map[string][]jobAnswer{
				start: {accepted("Location", "/v1/jobs/1")}, status: {accepted(), accepted(), resultAnswer},
			},
			seen: []string{start, status, status, status},
		},
		{
			name: "Location, 303 to the result", job: byWord,
			server: map[string][]jobAnswer{
				start:  {accepted("Location", "https://api.example.com/v1/jobs/1")},
				status: {statusOf("running"), {status: 303, header: http.Header{"Location": {"/v1/exports/1"}}}},
				result: {{status: 200, body: `{"status":"pending","url":"https://files.example.com/1"}`}}, // the status of something else
			},
			seen: []string{start, status, status, result},
		},
		{
			name: "Operation-Location, then Location", job: byWord,
			server: map[string][]jobAnswer{
				start:  {accepted("Operation-Location", "/v1/jobs/1", "Location", "/v1/exports/1")},
				status: {statusOf("NotStarted"), statusOf("Running"), statusOf("Succeeded")},
				result: {resultAnswer},
			},
			seen: []string{start, status, status, status, result},
		},
		{
			name: "Azure-AsyncOperation of a PUT, then the URL itself", job: byWord, method: http.MethodPut,
			server: map[string][]jobAnswer{
				"PUT /v1/exports": {{status: 201, header: http.Header{"Azure-Asyncoperation": {"/v1/jobs/1"}}, body: `{}`}},
				status:            {statusOf("InProgress"), statusOf("Succeeded")},
				"GET /v1/exports": {resultAnswer},
			},
			seen: []string{"PUT /v1/exports", status, status, "GET /v1/exports"},
		},
		{
			name: "status URL in the body, result URL in the status", job: Job{
				Status: []string{"Status"}, URL: []string{"links", "status"}, ResultURL: []string{"resourceLocation"},
			},
			server: map[string][]jobAnswer{
				start:  {{status: 202, body: `{"links":{"status":"/v1/jobs/1"}}`}},
				status: {statusOf("running"), {status: 200, body: `{"status":"succeeded","resourceLocation":"/v1/exports/1"}`}},
				result: {resultAnswer},
			},
			seen: []string{start, status, status, result},
		},
		{
			name: "declared header and words", job: Job{Header: "X-Status-Url", Status: []string{"Status"}, Done: []string{"shipped"}, Failed: []string{"lost"}},
			server: map[string][]jobAnswer{
				start:  {accepted("X-Status-Url", "/v1/jobs/1")},
				status: {statusOf("succeeded"), {status: 200, body: `{"status":"shipped","url":"https://files.example.com/1"}`}},
			},
			seen: []string{start, status, status},
		},
		{
			name: "a status URL that moves", job: byWord,
			server: map[string][]jobAnswer{
				start:            {accepted("Location", "/v1/jobs/0")},
				"GET /v1/jobs/0": {accepted("Location", "/v1/jobs/1")},
				status:           {resultAnswer},
			},
			seen: []string{start, "GET /v1/jobs/0", status},
		},
		{
			name: "done at once", job: byWord,
			server: map[string][]jobAnswer{start: {{status: 201, header: http.Header{"Location": {"/v1/exports/1"}}, body: resultAnswer.body}}},
			seen:   []string{start},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &jobServer{answers: tt.server, last: time.Now()}
				c := flowClientAt(t, WithTransport(server))
				op := jobOp(tt.job)
				if tt.method != "" {
					op.Call.Method = tt.method
				}
				task, err := Start[exportStatus, *export](t.Context(), c, op, Input{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := task.Wait(t.Context())
				if err != nil || got.URL != "https://files.example.com/1" {
					t.Errorf("result %+v, %v", got, err)
				}
				if !slices.Equal(server.seen, tt.seen) {
					t.Errorf("requests %q, want %q", server.seen, tt.seen)
				}
				if token := task.Token(); strings.Contains(token, "/jobs/0") {
					t.Errorf("token %q", token)
				}
				if again, ok := task.Result(); !ok || again != got {
					t.Errorf("Result: %v, %t", again, ok)
				}
				if again, err := task.Wait(t.Context()); err != nil || again != got || len(server.seen) != len(tt.seen) {
					t.Errorf("Wait again: %v, %v", again, err)
				}
			})
		})
	}
}

func TestJobThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &jobServer{answers: map[string][]jobAnswer{
			"POST /v1/exports": {accepted("Location", "/v1/jobs/1")},
			"GET /v1/jobs/1":   {statusOf("running"), {status: 200, body: `{"status":"failed","error":{"code":"disk_full","message":"No room."}}`}},
		}}
		c := flowClientAt(t, WithTransport(server))
		task, err := Start[exportStatus, export](t.Context(), c, jobOp(byWord), Input{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err = task.Wait(t.Context())
			var job *JobError
			var apiErr *Error
			if !errors.As(err, &job) || job.Status != "failed" || !errors.As(err, &apiErr) || apiErr.Code != "disk_full" || apiErr.Message != "No room." {
				t.Errorf("got %v", err)
			}
		}
		if _, ok := task.Result(); ok || len(server.seen) != 3 {
			t.Errorf("a result after a failure, %q", server.seen)
		}
	})
}

func TestWaitHonoursRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := func(seconds string) jobAnswer { return accepted("Retry-After", seconds) }
		server := &jobServer{last: time.Now(), answers: map[string][]jobAnswer{
			"POST /v1/exports": {accepted("Location", "/v1/jobs/1", "Retry-After", "90")},
			"GET /v1/jobs/1":   {later("10"), accepted(), accepted(), accepted(), accepted(), accepted(), later("2"), resultAnswer},
		}}
		c := flowClientAt(t, WithTransport(server))
		task, err := Start[exportStatus, export](t.Context(), c, jobOp(byWord), Input{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := task.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		bounds := [][2]time.Duration{
			{0, 0}, {90 * time.Second, 99 * time.Second}, {10 * time.Second, 11 * time.Second}, // as the server asks
			{time.Second, 3 * time.Second}, {time.Second, 9 * time.Second}, {time.Second, 27 * time.Second}, // by backoff
			{time.Second, 30 * time.Second}, {time.Second, 30 * time.Second}, {2 * time.Second, 3 * time.Second},
		}
		if len(server.waits) != len(bounds) {
			t.Fatalf("waits %v", server.waits)
		}
		for i, b := range bounds {
			if server.waits[i] < b[0] || server.waits[i] > b[1] {
				t.Errorf("wait %d was %s, want %s to %s", i, server.waits[i], b[0], b[1])
			}
		}
	})
}

// A wait that does not fit the deadline ends at once, and the token goes on in another process.
func TestWaitUnderOneDeadlineAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		halfway := jobAnswer{status: 200, body: statusOf("halfway").body, header: http.Header{"Retry-After": {"60"}}}
		answers := map[string][]jobAnswer{
			"POST /v1/exports":  {accepted("Operation-Location", "/v1/jobs/1?sig=a%20b", "Location", "/v1/exports/1")},
			"GET /v1/jobs/1":    {statusOf("running"), halfway, halfway, statusOf("succeeded")},
			"GET /v1/exports/1": {resultAnswer},
		}
		server := &jobServer{answers: answers}
		c := flowClientAt(t, WithTransport(server))
		task, err := Start[exportStatus, *export](t.Context(), c, jobOp(byWord), Input{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_, err = task.Wait(t.Context(), WithDeadline(30*time.Second))
		var unfinished *JobUnfinishedError
		if !errors.As(err, &unfinished) || unfinished.Status != "halfway" || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it took %s to see that a minute does not fit", took)
		}
		questions := len(server.seen)
		if _, err := task.Wait(t.Context(), WithDeadline(time.Second)); !errors.As(err, &unfinished) || len(server.seen) != questions+1 {
			t.Errorf("the wait that begins anew asks at once, and then does not wait: %q, %v", server.seen, err)
		}
		if task.Status().Rows != 7 {
			t.Errorf("status %+v", task.Status())
		}
		token, err := json.Marshal(unfinished.Token)
		if err != nil || task.Token() != unfinished.Token {
			t.Fatalf("token %s, %v", token, err)
		}
		var stored string
		_ = json.Unmarshal(token, &stored)
		other := flowClientAt(t, WithTransport(&jobServer{answers: answers}))
		resumed, err := Resume[exportStatus, *export](other, jobOp(byWord), stored)
		if err != nil {
			t.Fatal(err)
		}
		got, err := resumed.Wait(t.Context())
		if err != nil || got.URL != "https://files.example.com/1" {
			t.Errorf("result %+v, %v", got, err)
		}
	})
}

// The first question of a resumed wait does not wait, and a context that is over is the end of it.
func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &jobServer{last: time.Now(), answers: map[string][]jobAnswer{"GET /v1/jobs/1": {accepted("Retry-After", "60")}}}
		c := flowClientAt(t, WithTransport(server))
		task, err := Resume[exportStatus, *export](c, jobOp(byWord), "/v1/jobs/1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("shutting down")
		time.AfterFunc(10*time.Second, func() { cancel(stop) })
		_, err = task.Wait(ctx)
		var unfinished *JobUnfinishedError
		if !errors.As(err, &unfinished) || !errors.Is(err, stop) || len(server.seen) != 1 || server.waits[0] != 0 {
			t.Errorf("got %v after %q", err, server.seen)
		}
	})
}

// A failure that outlasts the retries of one question does not end the wait.
func TestWaitOutlastsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := jobAnswer{status: 503, header: http.Header{"Retry-After": {"120"}}, body: `{"code":"maintenance"}`}
		server := &jobServer{answers: map[string][]jobAnswer{
			"GET /v1/jobs/1": {down, down, {status: 502, body: "bad gateway"}, {status: 502}, {status: 502}, resultAnswer},
		}}
		c := flowClientAt(t, WithTransport(server))
		task, err := Resume[exportStatus, *export](c, jobOp(byWord), "/v1/jobs/1")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := task.Wait(t.Context()); err != nil || got.URL == "" {
			t.Errorf("result %+v, %v", got, err)
		}
		if len(server.seen) != 6 || server.waits[1] < 120*time.Second {
			t.Errorf("%d questions, waits %v", len(server.seen), server.waits)
		}

		server.answers["GET /v1/jobs/1"] = []jobAnswer{down}
		task, _ = Resume[exportStatus, *export](c, jobOp(byWord), "/v1/jobs/1")
		_, err = task.Wait(t.Context(), WithDeadline(time.Minute))
		var apiErr *Error
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &apiErr) || apiErr.Code != "maintenance" {
			t.Errorf("the last failure is not in %v", err)
		}
	})
}

func TestWaitEndsAtAFailureForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, answer := range map[string]jobAnswer{
			"gone":       {status: 404, body: `{"code":"no_such_job"}`},
			"a stranger": {status: 401, body: `{}`},
			"no longer":  {status: 410, body: `{}`},
			"not JSON":   {status: 200, header: http.Header{"Content-Type": {"text/html"}}, body: "<html>"},
		} {
			server := &jobServer{answers: map[string][]jobAnswer{"GET /v1/jobs/1": {answer}}}
			task, err := Resume[exportStatus, *export](flowClientAt(t, WithTransport(server)), jobOp(byWord), "/v1/jobs/1")
			if err != nil {
				t.Fatal(err)
			}
			_, err = task.Wait(t.Context())
			var apiErr *Error
			if !errors.As(err, &apiErr) || apiErr.StatusCode != answer.status || len(server.seen) != 1 {
				t.Errorf("%s: %v after %q", name, err, server.seen)
			}
		}
	})
}

func TestWaitByAnOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &jobServer{answers: map[string][]jobAnswer{"GET /v1/jobs/1": {statusOf("queued"), statusOf("done")}}}
		op := &Operation{Call: transport.Operation{ID: "getJob", Method: http.MethodGet, Path: "/jobs/{id}"}, Job: &byWord}
		got, err := Wait[*exportStatus](t.Context(), flowClientAt(t, WithTransport(server)), op, Input{Path: []any{"1"}}, nil)
		if err != nil || *got.Status != "done" || len(server.seen) != 2 {
			t.Errorf("got %+v, %v after %q", got, err, server.seen)
		}
	})
}

func TestJobsStayOnTheirOrigin(t *testing.T) {
	tests := map[string]map[string][]jobAnswer{
		"status": {"POST /v1/exports": {accepted("Location", "https://evil.example/jobs/1")}},
		"result": {"POST /v1/exports": {accepted("Operation-Location", "/v1/jobs/1", "Location", "https://evil.example/1")}},
		"moved": {
			"POST /v1/exports": {accepted("Location", "/v1/jobs/1")},
			"GET /v1/jobs/1":   {accepted("Location", "https://evil.example/1")},
		},
		"result in the status": {
			"POST /v1/exports": {accepted("Location", "/v1/jobs/1")},
			"GET /v1/jobs/1":   {{status: 200, body: `{"status":"done","result":"https://evil.example/1"}`}},
		},
	}
	for name, answers := range tests {
		synctest.Test(t, func(t *testing.T) {
			job := byWord
			job.ResultURL = []string{"result"}
			server := &jobServer{answers: answers}
			task, err := Start[exportStatus, export](t.Context(), flowClientAt(t, WithTransport(server)), jobOp(job), Input{}, nil)
			if err == nil {
				_, err = task.Wait(t.Context())
			}
			var foreign *ForeignURLError
			if !errors.As(err, &foreign) || foreign.To != "https://evil.example" || foreign.From != "https://api.example.com" {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	c := flowClientAt(t, WithTransport(&jobServer{}))
	for _, token := range []string{"https://evil.example/jobs/1", "/v1/jobs/1 https://evil.example/1", "", "a b c", "ftp://x/"} {
		if _, err := Resume[exportStatus, export](c, jobOp(byWord), token); err == nil {
			t.Errorf("the token %q was taken", token)
		}
	}
}

// The operation that reads the status brings its own errors and answers.
func TestJobPolledByADeclaredOperation(t *testing.T) {
	server := &jobServer{answers: map[string][]jobAnswer{"GET /v1/jobs/1": {{status: 404, body: `{"code":"expired"}`}}}}
	job := byWord
	job.Poll = &Operation{
		Call:   transport.Operation{ID: "getJob", Method: http.MethodGet, Path: "/jobs/{id}"},
		Errors: []ErrorCase{{Status: "404", New: func() error { return new(goneError) }}},
	}
	task, err := Resume[exportStatus, export](flowClientAt(t, WithTransport(server)), jobOp(job), "/v1/jobs/1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = task.Poll(t.Context())
	var gone *goneError
	var apiErr *Error
	if !errors.As(err, &gone) || gone.Code != "expired" || !errors.As(err, &apiErr) || apiErr.Operation != "getJob" {
		t.Errorf("got %v", err)
	}
}

type goneError struct {
	Code string `json:"code"`
}

func (e *goneError) Error() string { return e.Code }

func TestJobErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&JobError{Status: "failed"}, `the job ended as "failed"`},
		{&JobUnfinishedError{Err: errReset}, "the job has not ended yet: read: connection reset by peer"},
		{&JobUnfinishedError{Status: "running", Err: errReset}, `the job has not ended yet, it is "running": read: connection reset by peer`},
		{&EventError{Number: 3, ID: "7", Name: "order", Raw: []byte("secret"), Err: errReset}, `event 3 (order, id "7") cannot be decoded: read: connection reset by peer`},
		{&EventError{Number: 3, Raw: []byte("secret"), Err: errReset}, "line 3 cannot be decoded: read: connection reset by peer"},
		{&StreamError{Events: 3, Err: errReset}, "the stream broke after 3 events: read: connection reset by peer"},
		{&DownloadError{Offset: 3, Size: 10, Err: errReset}, "the download broke after 3 of 10 bytes: read: connection reset by peer"},
		{&DownloadError{Offset: 3, Size: -1, Err: errReset}, "the download broke after 3 bytes: read: connection reset by peer"},
		{
			&ForeignURLError{From: "https://a.example", To: "https://b.example"},
			"the server's link leads from https://a.example to https://b.example, which must not get the credentials; " +
				"when both are the same API, use its own address as the base URL",
		},
	} {
		if tt.err.Error() != tt.want {
			t.Errorf("%q, want %q", tt.err, tt.want)
		}
	}
}

func TestJobWithoutAStatusURL(t *testing.T) {
	server := &jobServer{answers: map[string][]jobAnswer{"POST /v1/exports": {accepted()}}}
	_, err := Start[exportStatus, export](t.Context(), flowClientAt(t, WithTransport(server)), jobOp(Job{URL: []string{"a", "b"}}), Input{}, nil)
	if !errors.Is(err, errNoStatus) {
		t.Errorf("got %v", err)
	}
}

// Jobs over sockets: the credentials go with every question, and polling one by one works as waiting does.
func TestPoll(t *testing.T) {
	var log flowLog
	questions := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /exports", func(w http.ResponseWriter, r *http.Request) {
		log.add(r.Header.Get("Authorization"))
		w.Header().Set("Location", "jobs/1")
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("GET /jobs/1", func(w http.ResponseWriter, r *http.Request) {
		log.add(r.Header.Get("Authorization"))
		if questions++; questions < 3 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, resultAnswer.body)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	c := flowClientAt(t, WithBaseURL(server.URL))
	task, err := Start[exportStatus, *export](t.Context(), c, jobOp(Job{}), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if task.Token() != server.URL+"/jobs/1" || task.Info.StatusCode != http.StatusAccepted {
		t.Errorf("token %q, %+v", task.Token(), task.Info)
	}
	for n := 1; ; n++ {
		done, err := task.Poll(t.Context())
		if err != nil || n > 3 {
			t.Fatal(n, err)
		}
		if _, ok := task.Result(); ok != done {
			t.Errorf("done is %t, there is a result: %t", done, ok)
		}
		if done {
			break
		}
	}
	if got := strings.Join(log.take(), ","); got != strings.Repeat("Bearer s3cret,", 3)+"Bearer s3cret" {
		t.Errorf("credentials %q", got)
	}
}

func TestJobState(t *testing.T) {
	tests := []struct {
		job  Job
		code int
		word string
		want jobState
	}{
		{Job{}, 202, "", jobRunning},
		{Job{}, 200, "", jobDone},
		{Job{}, 204, "", jobDone},
		{Job{}, 200, "pending", jobRunning},
		{Job{}, 200, "Succeeded", jobDone},
		{Job{}, 202, "Succeeded", jobDone},
		{Job{}, 200, "Canceled", jobFailed},
		{Job{}, 200, "something new", jobRunning},
		{Job{Done: []string{"shipped"}}, 200, "done", jobRunning},
		{Job{Done: []string{"shipped"}}, 200, "SHIPPED", jobDone},
		{Job{Done: []string{"shipped"}}, 200, "failed", jobFailed},
		{Job{Failed: []string{"lost"}}, 200, "failed", jobRunning},
	}
	for _, tt := range tests {
		if got := tt.job.state(tt.code, tt.word); got != tt.want {
			t.Errorf("%+v: %d %q is %d, want %d", tt.job, tt.code, tt.word, got, tt.want)
		}
	}
}
