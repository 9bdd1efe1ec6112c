package plan

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// answer is one declared answer on its way to the plan.
type answer struct {
	status   string
	response *spec.Node
}

// answersOf gives the answers of an operation: those that are a success, and the others.
func answersOf(o *operation) (success, failure []answer) {
	var fallback *spec.Node
	for _, m := range o.Node.Get("responses").All() {
		status, ok := statusKey(m.Key)
		response := m.Value.Deref()
		switch {
		case !ok || !response.IsObject():
		case status == "default":
			fallback = response
		case status[0] == '2':
			success = append(success, answer{status: status, response: response})
		case status[0] >= '4':
			failure = append(failure, answer{status: status, response: response})
		}
	}
	if fallback != nil {
		a := answer{status: "default", response: fallback}
		if len(success) == 0 {
			success = append(success, a)
		} else {
			failure = append(failure, a)
		}
	}
	return success, failure
}

// result fills in what a call gives back.
func (b *builder) result(o *operation) {
	success, failure := answersOf(o)
	m := o.method
	var events *Answer
	for _, a := range success {
		list := b.answers(o, a)
		if len(list) == 0 {
			m.Result.Answers = append(m.Result.Answers, &Answer{Status: a.status, Kind: "none", Doc: docText(a.response.Str("description"))})
		}
		for _, one := range list {
			if one.Kind == "sse" && len(list) > 1 {
				events = one
				continue
			}
			m.Result.Answers = append(m.Result.Answers, one)
		}
	}
	b.kind(o)
	if m.Result.Kind == "sse" || m.Result.Kind == "ndjson" {
		m.Result.End, m.Result.Endless = b.stream(o, success)
	}
	if events != nil {
		b.streamMethod(o, events)
		o.stream.Result.End, o.stream.Result.Endless = b.stream(o, success)
	}
	b.failures(o, failure)
	b.headers(o, success)
}

// answers gives the answers of one status: one for each type that its content may have. Other representations of the
// same thing are left out, because the call asks for the first one.
func (b *builder) answers(o *operation, a answer) []*Answer {
	var list []*Answer
	var kept []mediaEntry
	for _, entry := range mediaOf(a.response) {
		kind := kindOfMedia(entry.name)
		if i := slices.IndexFunc(kept, func(k mediaEntry) bool { return alternative(k, entry) }); i >= 0 {
			b.dropf("%s %s: the answer %s as %s is another form of %s", o.Method, o.Path, a.status, entry.name, kept[i].name)
			continue
		}
		kept = append(kept, entry)
		one := &Answer{Status: a.status, ContentType: entry.name, Kind: kind, Doc: docText(a.response.Str("description"))}
		if entry.schema != nil && isBinary(entry.schema) && kind != "json" {
			one.Kind = "binary"
		}
		switch one.Kind {
		case "any", "form", "multipart":
			one.Kind = "json"
			if s := entry.schema.Deref(); kind != "any" || s == nil || isBinary(entry.schema) {
				one.Kind = "binary"
			}
		}
		switch one.Kind {
		case "json", "sse", "ndjson":
			one.Type = b.jsonType(entry.schema).expr
			one.Example = shownAnswer(entry.node, entry.schema)
		case "text":
			one.Example = shownAnswer(entry.node, entry.schema)
			one.Type = "string"
		default:
			one.Type = "[]byte"
		}
		list = append(list, one)
	}
	return list
}

// alternative reports whether other is another form of what kept is.
func alternative(kept, other mediaEntry) bool {
	first, second := kindOfMedia(kept.name), kindOfMedia(other.name)
	same := kept.schema.Deref() == other.schema.Deref() || spec.Equal(kept.schema.Deref(), other.schema.Deref())
	switch {
	case second == "sse":
		return false
	case first == "json" && second == "text", first == "json" && second == "any":
		return true
	case first == "json" && second == "ndjson", first == "json" && second == "binary", first == "json" && second == "form":
		return same
	case first == second && (first == "binary" || first == "text"):
		return true
	}
	return first == second && same
}

// kind decides what the method returns.
func (b *builder) kind(o *operation) {
	r := &o.method.Result
	var bodies []*Answer
	for _, a := range r.Answers {
		if a.Kind != "none" {
			bodies = append(bodies, a)
		}
	}
	switch {
	case len(bodies) == 0:
		r.Kind = "none"
		return
	case oneType(bodies):
		r.Kind, r.Type = bodies[0].Kind, bodies[0].Type
		if r.Kind == "json" {
			r.Kind = "one"
			r.Pointer = b.byPointer(r.Type)
		}
		return
	}
	r.Kind = "many"
	r.TypeName = b.global.takeType(o.base+"Result", o.base+"Answer")
	r.Type = r.TypeName
	fields := newScope()
	statuses := map[string]int{}
	for _, a := range bodies {
		statuses[a.Status]++
	}
	for _, a := range bodies {
		name := statusField(a.Status)
		if statuses[a.Status] > 1 {
			name += mediaName(a.ContentType)
		}
		a.GoName = fields.take(name, name+"Body")
		if a.Kind == "sse" || a.Kind == "ndjson" {
			a.Kind, a.Type = "binary", "[]byte"
		}
	}
}

func oneType(list []*Answer) bool {
	for _, a := range list[1:] {
		if a.Type != list[0].Type || a.Kind != list[0].Kind {
			return false
		}
	}
	return true
}

func statusField(status string) string {
	if status == "default" {
		return "Default"
	}
	if code, err := strconv.Atoi(status); err == nil && http.StatusText(code) != "" {
		return exported(http.StatusText(code), "Status")
	}
	return "Status" + exported(status, "")[1:]
}

// byPointer reports whether a result of that type is given back as a pointer.
func (b *builder) byPointer(expr string) bool {
	for range 50 {
		d := b.byName[expr]
		if d == nil {
			return false
		}
		switch d.typ.Kind {
		case Struct, Union:
			return true
		case Alias:
			expr = d.typ.Base
		default:
			return false
		}
	}
	return false
}

// streamMethod adds a second method for an operation that answers with one value or, when asked, with events.
func (b *builder) streamMethod(o *operation, events *Answer) {
	stream := *o.method
	stream.GoName = o.method.GoName + "Stream"
	for _, other := range o.service.Methods {
		if other.GoName == stream.GoName {
			stream.GoName += "Events"
		}
	}
	stream.OpVar = o.method.OpVar + "Stream"
	stream.Result = Result{Kind: "sse", Type: events.Type, Answers: []*Answer{events}}
	o.stream = &stream
}

// failures fills in the typed error answers.
func (b *builder) failures(o *operation, failure []answer) {
	for _, a := range failure {
		for _, entry := range mediaOf(a.response) {
			d := b.errorType(entry)
			if d == nil {
				continue
			}
			o.method.Errors = append(o.method.Errors, &ErrorResponse{
				Status: a.status, ContentType: entry.name, Type: d.typ.Name, Doc: docText(a.response.Str("description")),
			})
			break
		}
		for _, h := range a.response.Get("headers").All() {
			if lower := strings.ToLower(h.Key); strings.HasSuffix(lower, "should-retry") {
				o.method.Retry.OverrideHeader = h.Key
			}
		}
	}
}

// errorType gives the named type of an error answer, nil when it has none that can carry a method.
func (b *builder) errorType(entry mediaEntry) *named {
	if kind := kindOfMedia(entry.name); kind != "json" && kind != "any" || entry.schema == nil {
		return nil
	}
	d := b.named[entry.schema.Deref()]
	if d == nil || d.node.Ref != "" {
		return nil
	}
	switch d.shape { //nolint:exhaustive // only these can carry a method
	case structShape, unionShape, mapShape, sliceShape:
		return d
	}
	return nil
}

// markErrors finds the types that are error answers before their members are named.
func (b *builder) markErrors(ops []*operation) {
	for _, o := range ops {
		_, failure := answersOf(o)
		for _, a := range failure {
			for _, entry := range mediaOf(a.response) {
				if d := b.errorType(entry); d != nil {
					d.isError = true
				}
			}
		}
	}
}

func (b *builder) headers(o *operation, success []answer) {
	seen := newScope()
	have := map[string]bool{}
	for _, a := range success {
		for _, h := range a.response.Get("headers").All() {
			key := http.CanonicalHeaderKey(h.Key)
			if have[key] {
				continue
			}
			have[key] = true
			node := h.Value.Deref()
			schema, media := paramSchema(node)
			o.method.Headers = append(o.method.Headers, &ResponseHeader{
				Name: h.Key, GoName: seen.take(exported(h.Key, "Header")), Type: b.paramType(schema, media != "").expr,
				Doc: docText(node.Str("description")), Example: shownHeader(node, schema),
			})
		}
	}
}
