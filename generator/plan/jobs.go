package plan

import (
	"net/http"
	"slices"
	"strings"
)

var (
	doneWords = []string{"done", "completed", "complete", "succeeded", "success", "successful", "finished", "ready", "processed"}
	failWords = []string{"failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "expired", "rejected", "timedout", "deleted"}
	jobHeader = []string{"Operation-Location", "Azure-AsyncOperation", "Location", "Content-Location"}
)

// jobs finds operations that only start something: they answer 202 and name the place that tells how far it is.
func (b *builder) jobs() {
	for _, o := range b.ops {
		if o.Method == http.MethodGet || o.Method == http.MethodHead {
			continue
		}
		accepted := o.Node.Get("responses").Get("202").Deref()
		if accepted == nil {
			continue
		}
		job := &Job{}
		for _, name := range jobHeader {
			for _, h := range accepted.Get("headers").All() {
				if strings.EqualFold(h.Key, name) && job.Header == "" {
					job.Header = name
				}
			}
		}
		if job.Header == "" && o.Node.Flag("x-ms-long-running-operation") {
			job.Header = "Location"
		}
		if job.Header == "" {
			continue
		}
		b.status(o, job)
		o.method.Job = job
	}
}

// status finds the operation that reads the job's state, a GET one segment below, and the words for its ends.
func (b *builder) status(o *operation, job *Job) {
	for _, other := range b.ops {
		rest, below := strings.CutPrefix(other.Path, strings.TrimSuffix(o.Path, "/")+"/{")
		if other.Method != http.MethodGet || !below || strings.Contains(rest, "/") || other.method.Result.Kind != "one" {
			continue
		}
		t := b.structOf(other.method.Result.Type)
		if t == nil {
			continue
		}
		for _, name := range []string{"status", "state"} {
			f := fieldOf(t, name)
			if f == nil {
				continue
			}
			d := b.byName[bareType(f.Type)]
			if d == nil || d.typ.Kind != Enum {
				continue
			}
			for _, v := range d.typ.Values {
				word := unquote(v.Literal)
				switch p := plain(word); {
				case slices.Contains(doneWords, p):
					job.Done = append(job.Done, word)
				case slices.Contains(failWords, p):
					job.Failed = append(job.Failed, word)
				}
			}
			if len(job.Done) > 0 {
				job.StatusOp, job.StatusPath = other.ID, []string{f.GoName}
				return
			}
		}
	}
}
