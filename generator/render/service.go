package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

type serviceView struct {
	Comment, TypeName string
	Children          []serviceField
	Methods           []methodView
	Operations        []operationView
	Params            []paramsView
	Results           []resultView
}

type methodView struct{ Service, Comment, Signature, Body string }

type paramsView struct {
	TypeName, Of string
	Fields       []paramField
}

type paramField struct{ Comment, GoName, Type, Tag string }

type resultView struct {
	TypeName, Of string
	Fields       []paramField
}

func (r *renderer) printServices() error {
	var err error
	for s := range r.plan.All() {
		if err == nil {
			view := r.service(s)
			r.signatures[s] = view.Methods
			err = r.execute(s.File, "service.tmpl", view)
		}
	}
	return err
}

func (r *renderer) service(s *plan.Service) serviceView {
	doc := s.Doc
	if doc == "" {
		doc = s.TypeName + " has the operations of " + s.Name + "."
	}
	view := serviceView{Comment: models.Comment(doc, "", ""), TypeName: s.TypeName, Children: serviceFields(s.Children)}
	for _, m := range s.Methods {
		for i := range max(1, len(m.Bodies)) {
			view.Methods = append(view.Methods, r.method(s, m, i))
		}
		view.Methods = append(view.Methods, r.listMethods(s, m)...)
		if wait, ok := r.waitMethod(s, m); ok {
			view.Methods = append(view.Methods, wait)
		}
		view.Methods = append(view.Methods, r.taskMethods(s, m)...)
		view.Operations = append(view.Operations, r.operations(m)...)
		if m.Params != nil && !r.printed[m.Params.TypeName] { // the streaming form of an operation has the same ones
			r.printed[m.Params.TypeName] = true
			view.Params = append(view.Params, r.params(s, m))
		}
		if m.Result.Kind == resultMany {
			view.Results = append(view.Results, r.result(s, m))
		}
	}
	return view
}

// call is one way to call an operation: its parts as they are printed.
type call struct {
	r       *renderer
	service *plan.Service
	method  *plan.Method
	body    *plan.Body
	op      string
}

func (r *renderer) callOf(s *plan.Service, m *plan.Method, body int) *call {
	c := &call{r: r, service: s, method: m, op: opVar(m, body)}
	if body < len(m.Bodies) {
		c.body = m.Bodies[body]
	}
	return c
}

// arguments are the parameters of the method between ctx and opts.
func (c *call) arguments() string {
	var out strings.Builder
	for _, p := range c.method.PathParams {
		if p.Const == "" {
			out.WriteString(p.ArgName + " " + p.Type + ", ")
		}
	}
	if c.body != nil {
		out.WriteString(c.body.ArgName + " " + c.bodyType() + ", ")
	}
	if c.method.Params != nil {
		out.WriteString("params " + c.method.Params.TypeName + ", ")
	}
	return out.String()
}

func (c *call) bodyType() string {
	if c.body.ByPointer {
		return "*" + strings.TrimPrefix(c.body.Type, "*")
	}
	return c.body.Type
}

// input is the composite literal of the call's input.
func (c *call) input() string {
	var parts []string
	if len(c.method.PathParams) > 0 {
		values := make([]string, len(c.method.PathParams))
		for i, p := range c.method.PathParams {
			values[i] = p.ArgName
			if p.Const != "" {
				values[i] = p.Const
			}
		}
		parts = append(parts, "Path: []any{"+strings.Join(values, ", ")+"}")
	}
	if c.method.Params != nil {
		parts = append(parts, "Params: params")
	}
	if c.body != nil {
		parts = append(parts, "Body: "+c.bodyValue())
	}
	if c.plainEvent() {
		parts = append(parts, "Event: "+c.event())
	}
	if c.keyInBody() && !c.body.ByPointer {
		parts = append(parts, "Key: &"+c.body.ArgName+"."+c.method.Key.BodyField)
	}
	return record("client.Input", parts, "\t\t")
}

// bodyValue hands a body over by address, so that it is not copied once more.
func (c *call) bodyValue() string {
	byValue := !c.body.ByPointer && !strings.HasPrefix(c.body.Type, "*") &&
		!slices.Contains([]string{"io.Reader", typeString, "[]byte", typeRaw}, c.body.Type)
	if byValue {
		return "&" + c.body.ArgName
	}
	return c.body.ArgName
}

func (c *call) keyInBody() bool {
	return c.method.Key != nil && c.method.Key.In == "body" && c.method.Key.BodyField != "" && c.body != nil && c.body == c.method.Bodies[0]
}

func (c *call) hasEvent() bool {
	return c.method.Key != nil && c.method.Key.Template != "" && c.eventFits()
}

// eventFits tells that the event's values are there: one that is taken from the body needs the first kind of body.
func (c *call) eventFits() bool {
	for _, part := range c.method.Key.Parts {
		if strings.HasPrefix(part.Expr, "body.") && (c.body == nil || c.body != c.method.Bodies[0]) {
			return false
		}
	}
	return true
}

// guards are the conditions under which the event's values may be evaluated.
func (c *call) guards() []string {
	var out []string
	if c.body != nil && c.body.ByPointer && slices.ContainsFunc(c.method.Key.Parts, func(p plan.KeyPart) bool {
		return strings.HasPrefix(p.Expr, c.body.ArgName+".")
	}) {
		out = append(out, c.body.ArgName+" != nil")
	}
	for _, part := range c.method.Key.Parts {
		if part.Guard != "" && !slices.Contains(out, part.Guard) {
			out = append(out, part.Guard)
		}
	}
	return out
}

func (c *call) plainEvent() bool { return c.hasEvent() && len(c.guards()) == 0 }

// event prints literals at even places and values at odd ones.
func (c *call) event() string {
	var parts []string
	for _, part := range c.method.Key.Parts {
		value := part.Expr != ""
		if value == (len(parts)%2 == 0) { // two of a kind in a row
			parts = append(parts, `""`)
		}
		if value {
			parts = append(parts, part.Expr)
		} else {
			parts = append(parts, quote(part.Literal))
		}
	}
	return "client.Event{" + strings.Join(parts, ", ") + "}"
}

// prepare is what must happen before the call, and the expression of its input.
func (c *call) prepare() (string, string) {
	guardedEvent := c.hasEvent() && !c.plainEvent()
	guardedKey := c.keyInBody() && c.body.ByPointer
	text := c.switched()
	if !guardedEvent && !guardedKey {
		return text, c.input()
	}
	text += "\tin := " + c.input() + "\n"
	if guardedEvent {
		text += fmt.Sprintf("\tif %s {\n\t\tin.Event = %s\n\t}\n", strings.Join(c.guards(), " && "), c.event())
	}
	if guardedKey {
		text += fmt.Sprintf("\tif %s != nil {\n\t\tin.Key = &%s.%s\n\t}\n", c.body.ArgName, c.body.ArgName, c.method.Key.BodyField)
	}
	return text, "in"
}

// switched sets the member of the body, which is the method's own copy, by which the API is asked for events.
func (c *call) switched() string {
	name := c.method.Result.Switch
	if name == "" || c.body == nil || c.body != c.method.Bodies[0] {
		return ""
	}
	field := c.body.ArgName + "." + name
	for _, f := range c.r.types[c.body.Type].Fields {
		switch {
		case f.GoName != name:
		case f.Type == "bool":
			return "\t" + field + " = true\n"
		case f.Type == "*bool":
			return "\tstream := true\n\t" + field + " = &stream\n"
		default:
			return "\t" + field + " = wire.Value(true)\n"
		}
	}
	return ""
}

func (c *call) resultType() string {
	result := c.method.Result
	switch result.Kind {
	case resultNone:
		return "error"
	case resultMany:
		return "(*" + result.TypeName + ", error)"
	case resultText:
		return "(string, error)"
	case resultBinary:
		return "(*client.Download, error)"
	case resultSSE:
		return "iter.Seq2[client.StreamEvent[" + result.Type + "], error]"
	case resultNDJSON:
		return "iter.Seq2[" + result.Type + ", error]"
	}
	return "(" + c.oneType() + ", error)"
}

func (c *call) oneType() string {
	if c.method.Result.Pointer {
		return "*" + c.method.Result.Type
	}
	return c.method.Result.Type
}

func (c *call) statements() string {
	before, in := c.prepare()
	args := "ctx, s.core, &" + c.op + ", " + in + ", opts"
	switch result := c.method.Result; result.Kind {
	case resultNone:
		return before + "\treturn s.core.Exec(ctx, &" + c.op + ", " + in + ", opts)\n"
	case resultMany:
		return before + c.several(in)
	case resultText:
		return before + "\treturn client.Do[string](" + args + ")\n"
	case resultBinary:
		return before + "\treturn client.Fetch(" + args + ")\n"
	case resultSSE:
		return before + "\treturn client.Stream[" + result.Type + "](" + args + ")\n"
	case resultNDJSON:
		return before + "\treturn client.NDJSON[" + result.Type + "](" + args + ")\n"
	}
	return before + "\treturn client.Do[" + c.oneType() + "](" + args + ")\n"
}

// several decodes into the field of the answer that comes.
func (c *call) several(in string) string {
	targets := make([]string, 0, len(c.method.Result.Answers))
	for _, a := range c.method.Result.Answers {
		if a.Kind == resultNone || a.GoName == "" {
			targets = append(targets, valueNil)
			continue
		}
		targets = append(targets, "&out."+a.GoName)
	}
	return fmt.Sprintf("\tvar out %s\n\tif err := s.core.Into(ctx, &%s, %s, opts, %s); err != nil {\n\t\treturn nil, err\n\t}\n\treturn &out, nil\n",
		c.method.Result.TypeName, c.op, in, strings.Join(targets, ", "))
}

func (r *renderer) method(s *plan.Service, m *plan.Method, body int) methodView {
	c := r.callOf(s, m, body)
	name, doc := m.GoName, m.Doc
	if body > 0 {
		name += m.Bodies[body].GoName
		doc = name + " is " + m.GoName + " with a body of " + m.Bodies[body].ContentType + "."
	}
	return methodView{
		Service:   s.TypeName,
		Comment:   models.Comment(doc, m.Deprecated, ""),
		Signature: fmt.Sprintf("%s(ctx context.Context, %sopts ...Option) %s", name, c.arguments(), c.resultType()),
		Body:      c.statements(),
	}
}

// listMethods are the iterators of a paginated operation.
func (r *renderer) listMethods(s *plan.Service, m *plan.Method) []methodView {
	p := m.Pagination
	if p == nil || m.Result.Kind != resultOne || p.ItemType == "" {
		return nil
	}
	c := r.callOf(s, m, 0)
	all, pages := iteratorNames(m)
	page := strings.TrimSuffix(pages, "s")
	before, in := c.prepare()
	args := "](ctx, s.core, &" + c.op + ", " + in + ", opts)\n"
	signature := "%s(ctx context.Context, %sopts ...Option) iter.Seq2[%s, error]"
	return []methodView{
		{
			Service: s.TypeName,
			Comment: models.Comment(all+" goes through the items of all pages of "+m.GoName+" and fetches a page when the loop gets to it. "+
				"An error is the last thing that it gives.", m.Deprecated, ""),
			Signature: fmt.Sprintf(signature, all, c.arguments(), p.ItemType),
			Body:      before + "\treturn client.All[" + c.oneType() + ", " + p.ItemType + args,
		},
		{
			Service:   s.TypeName,
			Comment:   models.Comment(pages+" goes through the pages of "+m.GoName+", as "+all+" does.", m.Deprecated, ""),
			Signature: fmt.Sprintf(signature, pages, c.arguments(), "*client.Page["+c.oneType()+", "+p.ItemType+"]"),
			Body:      before + "\treturn client.Pages[" + c.oneType() + ", " + p.ItemType + args,
		},
		{
			Service: s.TypeName,
			Comment: models.Comment(page+" gives the page of "+m.GoName+" that the parameters ask for; its Next gives the one after it, and io.EOF behind the last.",
				m.Deprecated, ""),
			Signature: fmt.Sprintf("%s(ctx context.Context, %sopts ...Option) (*client.Page[%s, %s], error)", page, c.arguments(), c.oneType(), p.ItemType),
			Body:      before + "\treturn client.First[" + c.oneType() + ", " + p.ItemType + args,
		},
	}
}

func iteratorNames(m *plan.Method) (all, pages string) {
	if m.GoName == "List" {
		return "All", "Pages"
	}
	return m.GoName + "All", m.GoName + "Pages"
}

// waitMethod polls a status operation until the job that it tells of has ended.
func (r *renderer) waitMethod(s *plan.Service, m *plan.Method) (methodView, bool) {
	if r.jobOf(m) == nil || m.Result.Kind != resultOne {
		return methodView{}, false
	}
	c := r.callOf(s, m, 0)
	name := waitName(m)
	before, in := c.prepare()
	doc := name + " calls " + m.GoName + " until the job has ended or ctx has. It changes nothing: after a crash, wait again. " +
		"A job that ends badly is a [*client.JobError]."
	return methodView{
		Service:   s.TypeName,
		Comment:   models.Comment(doc, "", ""),
		Signature: fmt.Sprintf("%s(ctx context.Context, %sopts ...Option) (%s, error)", name, c.arguments(), c.oneType()),
		Body:      before + "\treturn client.Wait[" + c.oneType() + "](ctx, s.core, &" + c.op + ", " + in + ", opts)\n",
	}, true
}

func waitName(m *plan.Method) string {
	if m.GoName == "Get" {
		return "Wait"
	}
	return m.GoName + "Wait"
}

// taskMethods start a job whose status is told of by a URL alone, and take it up again after a crash.
func (r *renderer) taskMethods(s *plan.Service, m *plan.Method) []methodView {
	if m.Job == nil || m.Job.StatusOp != "" {
		return nil
	}
	c := r.callOf(s, m, 0)
	result := typeRaw
	if m.Result.Kind == resultOne {
		result = c.oneType()
	}
	types := "[json.RawMessage, " + result + "]"
	before, in := c.prepare()
	start, resume := m.GoName+"Task", m.GoName+"Resume"
	return []methodView{
		{
			Service:   s.TypeName,
			Comment:   models.Comment(start+" is "+m.GoName+" that can be waited for: keep the task's Token to go on after a crash with "+resume+".", "", ""),
			Signature: fmt.Sprintf("%s(ctx context.Context, %sopts ...Option) (*client.Task%s, error)", start, c.arguments(), types),
			Body:      before + "\treturn client.Start" + types + "(ctx, s.core, &" + c.op + ", " + in + ", opts)\n",
		},
		{
			Service:   s.TypeName,
			Comment:   models.Comment(resume+" takes up a task by its Token.", "", ""),
			Signature: resume + "(token string) (*client.Task" + types + ", error)",
			Body:      "\treturn client.Resume" + types + "(s.core, &" + c.op + ", token)\n",
		},
	}
}

// jobOf is the job whose status the operation reads.
func (r *renderer) jobOf(m *plan.Method) *plan.Job { return r.jobs[m.ID] }

func (r *renderer) params(s *plan.Service, m *plan.Method) paramsView {
	view := paramsView{TypeName: m.Params.TypeName, Of: "[" + s.TypeName + "." + m.GoName + "]"}
	for _, p := range m.Params.Fields {
		view.Fields = append(view.Fields, paramField{
			models.Comment(p.Doc, p.Deprecated, "\t"), p.GoName, p.Type, paramTag(p),
		})
	}
	return view
}

// paramTag tells package wire how the parameter is written; defaults of the OpenAPI Specification are left out.
func paramTag(p *plan.Param) string {
	text := paramName.Replace(p.Name)
	style := map[string]string{"query": bodyForm, "cookie": bodyForm, "header": "simple"}[p.In]
	if p.Style != "" && p.Style != style {
		text += ",style=" + p.Style
		style = p.Style
	}
	if p.Explode != (style == bodyForm) && !p.JSON {
		text += fmt.Sprintf(",explode=%t", p.Explode)
	}
	if p.Reserved {
		text += ",reserved"
	}
	if p.JSON {
		text += ",json"
	}
	if p.Required {
		text += ",required"
	}
	return models.TagLiteral(p.In + ":" + quote(text))
}

// paramName escapes what ends a name in the tag of a parameter.
var paramName = strings.NewReplacer("%", "%25", ",", "%2C")

func (r *renderer) result(s *plan.Service, m *plan.Method) resultView {
	view := resultView{TypeName: m.Result.TypeName, Of: "[" + s.TypeName + "." + m.GoName + "]"}
	for _, a := range m.Result.Answers {
		if a.Kind == resultNone || a.GoName == "" {
			continue
		}
		view.Fields = append(view.Fields, paramField{Comment: models.Comment(a.Doc, "", "\t"), GoName: a.GoName, Type: r.answerType(a)})
	}
	return view
}

// answerType is a type whose zero value says that the answer did not come.
func (r *renderer) answerType(a *plan.Answer) string {
	if strings.HasPrefix(a.Type, "[]") || strings.HasPrefix(a.Type, "map[") || strings.HasPrefix(a.Type, "*") || a.Type == typeRaw {
		return a.Type
	}
	return "*" + a.Type
}
