package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// Job says how a long job is followed from the answer that started it to its end.
type Job struct {
	// Header of the answer that starts the job has the status URL. Empty: Operation-Location, Azure-AsyncOperation or,
	// with a status of 202, Location.
	Header string
	// URL is where the body of that answer has the status URL, by member names on the wire, if no header has it.
	URL []string
	// Status is the path of Go fields to the status word in the status document. Nil: the status code tells.
	Status []string
	// Done and Failed are the status words that end a job, in upper or lower case. Nil: the usual ones. Every other
	// word is that of a job under way.
	Done, Failed []string
	// ResultURL is where the status document of a job that is done has the URL of its result, by member names on the
	// wire.
	ResultURL []string
	// Poll reads the status. Nil: GET with the security, the errors and the servers of the operation that starts the job.
	Poll *Operation
}

// JobError says that a job has ended badly. It is not started again: a new job is a new intent.
type JobError struct {
	Status string // the server's word
}

func (e *JobError) Error() string { return fmt.Sprintf("the job ended as %q", e.Status) }

// JobUnfinishedError says that a wait ended before the job did. The job goes on; so can the wait, here or in another
// process.
type JobUnfinishedError struct {
	Token  string // for Resume; "" when the wait was not for a [Task]
	Status string // the server's last word, "" when there is none
	Err    error  // why the wait ended: the context's error and, if the last question was not answered, its failure
}

func (e *JobUnfinishedError) Error() string {
	if e.Status == "" {
		return fmt.Sprintf("the job has not ended yet: %v", e.Err)
	}
	return fmt.Sprintf("the job has not ended yet, it is %q: %v", e.Status, e.Err)
}

func (e *JobUnfinishedError) Unwrap() error { return e.Err }

// The words that servers use for the end of a job.
var (
	doneWords   = []string{"succeeded", "success", "successful", "completed", "complete", "done", "finished", "ready"}
	failedWords = []string{
		"failed", "failure", "error", "errored", "canceled", "cancelled", "aborted", "expired", "rejected", "timed_out",
		"timedout", "terminated",
	}
)

type jobState uint8

const (
	jobRunning jobState = iota
	jobDone
	jobFailed
)

// state says what a status answer means.
func (j *Job) state(code int, word string) jobState {
	is := func(declared, usual []string) bool {
		if declared == nil {
			declared = usual
		}
		return slices.ContainsFunc(declared, func(w string) bool { return word != "" && strings.EqualFold(w, word) })
	}
	switch {
	case is(j.Failed, failedWords):
		return jobFailed
	case is(j.Done, doneWords):
		return jobDone
	case code == http.StatusAccepted || word != "":
		return jobRunning
	}
	return jobDone
}

// azureHeaders have the status URL whatever the status code is. The names, and where the result of such a job is, are
// those of the Azure REST guidelines on long-running operations.
var azureHeaders = []string{"Operation-Location", "Azure-Asyncoperation"}

const locationHeader = "Location"

// statusURL finds the status URL in an answer and the header that has it; nil when there is none.
func (x *exchange) statusURL(j *Job, in *Input) (at *url.URL, header string, err error) {
	names := []string{j.Header}
	if j.Header == "" {
		names = azureHeaders
		if x.info.StatusCode == http.StatusAccepted {
			names = append(slices.Clip(names), locationHeader)
		}
	}
	for _, name := range names {
		if ref := x.info.Header.Get(name); ref != "" {
			at, err = x.resolve(in, ref)
			return at, name, err
		}
	}
	if ref := member(x.info.Body, j.URL); ref != "" {
		at, err = x.resolve(in, ref)
	}
	return at, "", err
}

// resultURL finds where the result of a job will be, when that is not the status URL.
func (x *exchange) resultURL(header string, in *Input) (*url.URL, error) {
	if !slices.Contains(azureHeaders, http.CanonicalHeaderKey(header)) {
		return nil, nil //nolint:nilnil // the last status answer is the result
	}
	if ref := x.info.Header.Get(locationHeader); ref != "" {
		return x.resolve(in, ref)
	}
	if x.op.Call.Method == http.MethodPut || x.op.Call.Method == http.MethodPatch {
		return x.resolve(in, "")
	}
	return nil, nil //nolint:nilnil // see above
}

// member is the text that JSON has at a path of member names, "" when there is none.
func member(body []byte, path []string) string {
	if len(path) == 0 {
		return ""
	}
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(body, &object) != nil {
			return ""
		}
		body = object[name]
	}
	var s string
	if json.Unmarshal(body, &s) != nil {
		return ""
	}
	return s
}

// seeOther tells that the answer was reached over a 303, which leads from a job's status to its result (RFC 9110
// section 15.4.4).
func (x *exchange) seeOther() bool {
	for req := x.resp.Request; req != nil && req.Response != nil; req = req.Response.Request {
		if req.Response.StatusCode == http.StatusSeeOther {
			return true
		}
	}
	return false
}

// pollOperation is the record of the questions for the status.
func (op *Operation) pollOperation(j *Job) *Operation {
	if j.Poll != nil {
		return j.Poll
	}
	return &Operation{
		Call: transport.Operation{
			ID: op.Call.ID, Method: http.MethodGet, Path: op.Call.Path, Idempotency: transport.Idempotent,
			OverrideHeader: op.Call.OverrideHeader,
		},
		Errors: op.Errors, Security: op.Security, Servers: op.Servers,
	}
}

// origin is the base URL of calls of op, for what is not in the answer of a call.
func (c *Client) origin(ctx context.Context, op *Operation, opts []Option) (*url.URL, error) {
	set, err := c.settings(opts)
	if err != nil {
		return nil, err
	}
	req, err := c.build(ctx, &Operation{Servers: op.Servers}, &Input{}, set)
	if err != nil {
		return nil, err
	}
	return req.URL, nil
}
