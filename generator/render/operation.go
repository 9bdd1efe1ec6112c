package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

type operationView struct {
	Name, Call string
	Fields     []string
}

// operations gives the records of a method: one for each way to send its body.
func (r *renderer) operations(m *plan.Method) []operationView {
	bodies := m.Bodies
	if len(bodies) == 0 {
		bodies = []*plan.Body{nil}
	}
	out := make([]operationView, len(bodies))
	for i, b := range bodies {
		out[i] = operationView{Name: opVar(m, i), Call: r.call(m), Fields: r.operationFields(m, b)}
	}
	return out
}

func opVar(m *plan.Method, body int) string {
	if body == 0 {
		return m.OpVar
	}
	return m.OpVar + m.Bodies[body].GoName
}

// call prints what the transport knows of the operation.
func (r *renderer) call(m *plan.Method) string {
	parts := []string{"ID: " + quote(m.ID), "Method: " + quote(m.HTTP), "Path: " + quote(m.Path)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	byMethod := slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}, m.HTTP)
	switch {
	case m.Idempotent && !byMethod:
		add("Idempotency: transport.Idempotent")
	case !m.Idempotent && byMethod:
		add("Idempotency: transport.NotIdempotent")
	}
	if m.Key != nil {
		add("Key: %s", keyRule(m.Key))
		if len(m.Key.ReusedCodes) > 0 {
			add("ReusedCodes: []string{%s}", quoted(m.Key.ReusedCodes))
		}
		if len(m.Key.InProgressCodes) > 0 {
			add("InProgressCodes: []string{%s}", quoted(m.Key.InProgressCodes))
		}
	}
	retry := m.Retry
	if retry.Attempts > 0 {
		add("Attempts: %d", retry.Attempts)
	}
	for _, d := range []struct {
		name string
		ms   int
	}{
		{"Deadline", retry.DeadlineMS},
		{"AttemptTimeout", retry.AttemptMS},
		{"BackoffBase", retry.BaseMS},
		{"BackoffCap", retry.CapMS},
	} {
		if d.ms > 0 {
			add("%s: %s", d.name, duration(d.ms))
		}
	}
	if retry.Statuses != nil {
		add("RetryStatuses: []int{%s}", ints(retry.Statuses))
	}
	if retry.Disabled {
		add("NoRetry: true")
	}
	if retry.OverrideHeader != "" {
		add("OverrideHeader: %s", quote(retry.OverrideHeader))
	}
	if slices.Contains([]string{resultBinary, resultSSE, resultNDJSON}, m.Result.Kind) {
		add("Stream: true")
	}
	return record("transport.Operation", parts, "\t\t")
}

// maxRecord bounds a composite literal on one line, in bytes.
const maxRecord = 116

// record prints a composite literal, on one line when it is short.
func record(name string, parts []string, indent string) string {
	line := name + "{" + strings.Join(parts, ", ") + "}"
	if len(line) <= maxRecord {
		return line
	}
	return name + "{\n" + indent + strings.Join(parts, ",\n"+indent) + ",\n" + strings.TrimSuffix(indent, "\t") + "}"
}

func keyRule(k *plan.Key) string {
	var parts []string
	if k.In == "header" {
		parts = append(parts, "Header: "+quote(k.Name))
	}
	if k.MinLength > 0 {
		parts = append(parts, fmt.Sprintf("MinLength: %d", k.MinLength))
	}
	if k.MaxLength > 0 {
		parts = append(parts, fmt.Sprintf("MaxLength: %d", k.MaxLength))
	}
	if k.Pattern != "" {
		parts = append(parts, "Pattern: "+quote(k.Pattern))
	}
	if k.Required {
		parts = append(parts, "Required: true")
	}
	return "&transport.KeyRule{" + strings.Join(parts, ", ") + "}"
}

func duration(ms int) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%d * time.Second", ms/1000)
	}
	return fmt.Sprintf("%d * time.Millisecond", ms)
}

func ints(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}

// operationFields prints what the client knows beyond the transport.
func (r *renderer) operationFields(m *plan.Method, b *plan.Body) []string {
	var out []string
	add := func(name, text string) {
		if text != "" {
			out = append(out, name+": "+text)
		}
	}
	add("Path", pathParams(m.PathParams))
	if m.Key != nil && m.Key.In == "query" {
		add("KeyQuery", quote(m.Key.Name))
	}
	add("Body", bodyRecord(b))
	if accept := acceptOf(m); accept != typeJSON {
		add("Accept", quote(accept))
	}
	add("Answers", answers(m.Result))
	if cases := r.errorCases(m.Errors); cases != r.errorCases(r.common) {
		add("Errors", cases)
	}
	if m.HasSecurity || m.Security != nil {
		text := requirements(m.Security)
		if text == "" {
			text = "[]client.Requirement{}"
		}
		if text != requirements(r.plan.Security) {
			add("Security", text)
		}
	}
	add("Servers", serverRecords(unnamed(m.Servers)))
	add("Paging", paging(m.Pagination))
	add("Streaming", streaming(m.Result))
	add("Job", r.jobRecord(m))
	return out
}

// streaming prints how a stream ends; "" when the end of the connection ends it.
func streaming(result plan.Result) string {
	switch {
	case result.End != "":
		return "&client.Streaming{End: " + quote(result.End) + "}"
	case result.Endless:
		return "&client.Streaming{Endless: true}"
	}
	return ""
}

func unnamed(servers []*plan.Server) []*plan.Server {
	out := make([]*plan.Server, len(servers))
	for i, s := range servers {
		out[i] = &plan.Server{URL: s.URL, Variables: s.Variables}
	}
	return out
}

// styles are the constants of wire for the styles that are not the default of a path parameter.
var styles = map[string]string{
	"label": "wire.Label", "matrix": "wire.Matrix", bodyForm: "wire.FormStyle", "simple": "wire.Simple",
	"spaceDelimited": "wire.SpaceDelimited", "pipeDelimited": "wire.PipeDelimited", "deepObject": "wire.DeepObject",
}

func pathParams(list []*plan.Param) string {
	plain := true
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = "{Name: " + quote(p.Name)
		if p.Style != "" && p.Style != "simple" {
			parts[i] += ", Style: " + styles[p.Style]
			plain = false
		}
		if p.Explode {
			parts[i] += ", Explode: true"
			plain = plain && !structured(p.Type)
		}
		parts[i] += "}"
	}
	if plain {
		return ""
	}
	return "[]client.PathParam{" + strings.Join(parts, ", ") + "}"
}

// structured tells types for which explode makes a difference; a named type may be one.
func structured(goType string) bool {
	return !slices.Contains([]string{typeString, "int64", "int32", "uint64", "float64", "float32", "bool", "time.Time", "wire.Date", "json.Number"}, goType)
}

var bodyKinds = map[string]string{
	bodyForm: "client.Form", "multipart": "client.Multipart", resultText: "client.Text", resultBinary: kindBinary, "xml": kindBinary,
}

func bodyRecord(b *plan.Body) string {
	if b == nil {
		return ""
	}
	parts := []string{"Type: " + quote(b.ContentType)}
	if kind := bodyKinds[b.Kind]; kind != "" {
		parts = append(parts, "Kind: "+kind)
	}
	if len(b.Encoding) > 0 && (b.Kind == bodyForm || b.Kind == "multipart") {
		parts = append(parts, "Encoding: []wire.Encoding{"+encodings(b.Encoding)+"}")
	}
	return "client.Body{" + strings.Join(parts, ", ") + "}"
}

func encodings(list []*plan.Encoding) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = "{Property: " + quote(e.Property)
		if e.ContentType != "" {
			parts[i] += ", ContentType: " + quote(e.ContentType)
		}
		if e.Style != "" {
			parts[i] += ", Style: " + styles[e.Style]
		}
		if e.Explode {
			parts[i] += ", Explode: true"
		}
		if e.Reserved {
			parts[i] += ", Reserved: true"
		}
		parts[i] += "}"
	}
	return strings.Join(parts, ", ")
}

// acceptOf lists the content types that the call can read, those of errors after those of success.
func acceptOf(m *plan.Method) string {
	var types []string
	for _, a := range m.Result.Answers {
		if a.ContentType != "" && !slices.Contains(types, a.ContentType) {
			types = append(types, a.ContentType)
		}
	}
	if len(types) == 0 {
		return typeJSON
	}
	if !slices.ContainsFunc(types, func(t string) bool { return strings.Contains(t, "json") || t == "*/*" }) {
		for _, e := range m.Errors {
			if e.ContentType != "" && !slices.Contains(types, e.ContentType) {
				types = append(types, e.ContentType)
			}
		}
	}
	return strings.Join(types, ", ")
}

var answerKinds = map[string]string{
	resultNone: "client.None", resultText: "client.Text", resultBinary: kindBinary, resultSSE: "client.Events", resultNDJSON: "client.Lines",
}

// answers prints the declared success answers; "" for what the runtime takes for granted: 2xx with JSON.
func answers(result plan.Result) string {
	plain := result.Kind == resultOne || result.Kind == resultNone
	parts := make([]string, len(result.Answers))
	for i, a := range result.Answers {
		parts[i] = "{Status: " + quote(a.Status)
		if a.ContentType != "" {
			parts[i] += ", Type: " + quote(a.ContentType)
		}
		if kind := answerKinds[a.Kind]; kind != "" {
			parts[i] += ", Kind: " + kind
		}
		parts[i] += "}"
		plain = plain && (a.Kind == "json" && a.ContentType == typeJSON || result.Kind == resultNone)
	}
	if plain || len(parts) == 0 {
		return ""
	}
	return "[]client.Answer{" + strings.Join(parts, ", ") + "}"
}

// jobRecord prints how a status reads, on the operation that reads it.
func (r *renderer) jobRecord(m *plan.Method) string {
	job := r.jobOf(m)
	var parts []string
	if job == nil && m.Job != nil && m.Job.StatusOp == "" {
		job = m.Job
		parts = append(parts, "Header: "+quote(job.Header))
	}
	if job == nil {
		return ""
	}
	for _, list := range []struct {
		name string
		list []string
	}{{"Status", job.StatusPath}, {"Done", job.Done}, {"Failed", job.Failed}} {
		if len(list.list) > 0 {
			parts = append(parts, list.name+": []string{"+quoted(list.list)+"}")
		}
	}
	return "&client.Job{" + strings.Join(parts, ", ") + "}"
}

var pagingKinds = map[string]string{
	"offset": "client.Offset", "page": "client.PageNumber", "next-url": "client.NextURL", "link-header": "client.LinkHeader",
}

func paging(p *plan.Pagination) string {
	if p == nil {
		return ""
	}
	var parts []string
	if kind := pagingKinds[p.Kind]; kind != "" {
		parts = append(parts, "Kind: "+kind)
	}
	if p.Request != "" {
		parts = append(parts, "Request: "+quote(p.Request))
	}
	if p.InBody {
		parts = append(parts, "InBody: true")
	}
	for _, path := range []struct {
		name string
		list []string
	}{{"Items", p.Items}, {"Next", p.Next}, {"HasMore", p.HasMore}, {"LastItem", p.LastItem}, {"Total", p.Total}, {"TotalPages", p.TotalPages}} {
		if len(path.list) > 0 {
			parts = append(parts, path.name+": []string{"+quoted(path.list)+"}")
		}
	}
	if p.FirstPage != 0 {
		parts = append(parts, fmt.Sprintf("FirstPage: %d", p.FirstPage))
	}
	return "&client.Paging{" + strings.Join(parts, ", ") + "}"
}
