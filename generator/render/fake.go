package render

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

// printFake prints the answers of the server for tests.
func (r *renderer) printFake() error {
	var operations []string
	for s := range r.plan.All() {
		for _, m := range s.Methods {
			operations = append(operations, r.fakeOperation(m))
		}
	}
	if operations == nil {
		return nil
	}
	return r.execute("fake", "fake.tmpl", map[string]any{dataPackage: r.plan.Package, "Operation": r.scripted(), "Operations": operations})
}

func (r *renderer) fakeOperation(m *plan.Method) string {
	parts := []string{"ID: " + quote(m.ID), "Method: " + quote(m.HTTP), "Path: " + quote(m.Path)}
	if len(m.Result.Answers) == 0 {
		return "{" + strings.Join(append(parts, "Status: 200"), ", ") + "}"
	}
	a := m.Result.Answers[0]
	parts = append(parts, "Status: "+strconv.Itoa(statusOf(a.Status)))
	if headers := fakeHeaders(m); headers != "" {
		parts = append(parts, "Header: map[string]string{"+headers+"}")
	}
	if a.ContentType != "" && m.HTTP != "HEAD" {
		parts = append(parts, "Type: "+quote(strings.Replace(a.ContentType, "*/*", "application/octet-stream", 1)), "Body: "+goText(r.fakeText(m, a, r.unbounded(m), nil)))
		if param, first := r.endless(m); param != "" {
			parts = append(parts, fmt.Sprintf("Further: &fakeserver.Further{Param: %s, First: %s, Body: %s}", quote(param), quote(first), goText(r.fakeText(m, a, true, nil))))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fakeHeaders are the declared headers that have an example, but for those that would change what the client does.
func fakeHeaders(m *plan.Method) string {
	var parts []string
	for _, h := range m.Headers {
		name := http.CanonicalHeaderKey(h.Name)
		steers := slices.Contains([]string{"Link", "Retry-After", "Set-Cookie", "Transfer-Encoding"}, name) ||
			strings.HasPrefix(name, "Content-") || strings.Contains(name, "Replay")
		if h.Example != "" && !steers {
			parts = append(parts, quote(name)+": "+quote(h.Example))
		}
	}
	return strings.Join(parts, ", ")
}

// endless gives the query parameter that carries the place in a list whose answers do not tell where it ends, with its
// value for the first page; "" for other lists.
func (r *renderer) endless(m *plan.Method) (param, first string) {
	if m.Params == nil {
		return "", ""
	}
	first, ok := openEnded(m.Pagination)
	for _, f := range m.Params.Fields {
		if ok && !m.Pagination.InBody && f.GoName == m.Pagination.Request && f.In == "query" {
			return f.Name, first
		}
	}
	return "", ""
}

// unbounded tells lists that are the same for the fake whatever page is asked for, and that it can only end by having no
// items.
func (r *renderer) unbounded(m *plan.Method) bool {
	_, open := openEnded(m.Pagination)
	param, _ := r.endless(m)
	return open && param == ""
}

// openEnded tells lists whose answers do not say where they end, and the place of their first page.
func openEnded(p *plan.Pagination) (first string, ok bool) {
	if p == nil || len(p.HasMore) > 0 {
		return "", false
	}
	switch p.Kind {
	case "offset":
		return "0", len(p.Total) == 0
	case "page":
		return strconv.Itoa(p.FirstPage), len(p.TotalPages) == 0 && len(p.Next) == 0
	}
	return "", len(p.LastItem) > 0
}

// statusOf is a status that a declared one stands for.
func statusOf(declared string) int {
	if n, err := strconv.Atoi(declared); err == nil {
		return n
	}
	return 200
}

// goText is a Go string literal, raw where that reads better.
func goText(s string) string {
	if strings.Contains(s, `"`) && models.CanBackquote(s) {
		return "`" + s + "`"
	}
	return quote(s)
}

// maxFake bounds an answer: a longer one is written again without what is optional.
const maxFake = 4 << 10

// fakeContent is the body of files and of texts without an example.
const fakeContent = "content"

// fakeText is the body of an answer, or of the page behind the last one of a list. It counts the items of a page.
func (r *renderer) fakeText(m *plan.Method, a *plan.Answer, behind bool, count *int) string {
	j := jsonSampler{types: r.types, literals: r.literals, list: m.Pagination, job: r.jobOf(m), behind: behind, optional: true, count: count}
	switch a.Kind {
	case resultText:
		if text, ok := stringOf(a.Example); ok {
			return text
		}
		return fakeContent
	case resultBinary:
		return fakeContent
	}
	text := j.value(a.Type, a.Example, 0, "")
	if len(text) > maxFake {
		j.optional = false
		text = j.value(a.Type, "", 0, "")
	}
	switch a.Kind {
	case resultSSE:
		text = "id: 1\ndata: " + text + "\n\n"
		if m.Result.End != "" {
			text += "data: " + m.Result.End + "\n\n"
		}
	case resultNDJSON:
		text += "\n"
		if m.Result.End != "" {
			text += m.Result.End + "\n"
		}
	}
	return text
}
