package plan

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// paramSchema gives the schema of a parameter or header, and the media type when it is written in one.
func paramSchema(p *spec.Node) (schema *spec.Node, media string) {
	if s := p.Get("schema"); s != nil {
		return s, ""
	}
	if content := p.Get("content").Deref().All(); len(content) > 0 {
		return content[0].Value.Deref().Get("schema"), content[0].Key
	}
	return nil, ""
}

// params fills in the arguments and the params struct of a method.
func (b *builder) params(o *operation) {
	m := o.method
	args := newScope(append(slices.Clone(hidden), ReservedArgs...)...)
	fields := newScope()
	var rest []*Param
	for _, p := range o.Params {
		if b.takesKey(o, p) {
			continue
		}
		param := b.param(p)
		if param.In == "path" {
			base := unexported(param.Name)
			param.ArgName = args.take(argCandidates(base)...)
			param.GoName = exported(param.Name, "Value")
			m.PathParams = append(m.PathParams, param)
			continue
		}
		name := exported(param.Name, "Param")
		pointer := o.Pointer + "/parameters/" + param.In + "/" + spec.EscapePointer(param.Name)
		if over := b.override(pointer); over != "" {
			name = over
		}
		param.GoName = fields.take(name, name+exported(param.In, ""))
		b.note(pointer, "param", o.base+"Params."+param.GoName)
		rest = append(rest, param)
	}
	if len(rest) == 0 {
		return
	}
	m.Params = &Params{TypeName: b.global.takeType(o.base+"Params", o.base+"Parameters"), Fields: rest}
	for _, p := range rest {
		m.Params.Required = m.Params.Required || p.Required
	}
}

func argCandidates(base string) []string {
	if base == "" {
		base = "value"
	}
	r := []rune(base)
	if r[0] > 0x7f && strings.ToLower(string(r[0])) != string(r[0]) {
		base = "value" + base
	}
	return []string{base, base + "Param", base + "Arg"}
}

func (b *builder) param(p *spec.Node) *Param {
	schema, media := paramSchema(p)
	in := p.Str("in")
	param := &Param{
		Name: p.Str("name"), In: in, Style: p.Str("style"), Reserved: p.Flag("allowReserved"),
		Required: p.Flag("required") || in == "path", JSON: kindOfMedia(media) == "json" && media != "",
		Deprecated: deprecation(p), Default: schema.Deref().Get("default").Text(),
	}
	text := docText(p.Str("description"))
	if text == "" && schema != nil {
		text = docText(schema.Str("description"))
	}
	param.Doc = strings.TrimSpace(sentence(text))
	if schema != nil {
		param.Doc = strings.TrimSpace(param.Doc + limits(schema))
	}
	if !knownStyle[param.Style] {
		param.Style = map[string]string{"path": "simple", "header": "simple", "query": "form", "cookie": "form"}[in]
	}
	param.Explode = param.Style == "form" || param.Style == "deepObject"
	if e := p.Get("explode"); e != nil {
		param.Explode = e.IsTrue()
	}
	if param.Style == "form" && p.Str("collectionFormat") == "csv" {
		param.Explode = false
	}
	g := b.paramType(schema, param.JSON)
	param.Type = g.expr
	if in != "path" && !param.Required && g.shape != sliceShape && g.shape != mapShape && g.shape != anyShape {
		param.Type = "*" + g.expr
	}
	b.constParam(param, schema, g)
	return param
}

var knownStyle = map[string]bool{
	"simple": true, "label": true, "matrix": true, "form": true, "spaceDelimited": true, "pipeDelimited": true, "deepObject": true,
}

// paramType gives the type of a parameter. Text is all that a URL or a header carries, so a choice of scalars is a string.
func (b *builder) paramType(schema *spec.Node, asJSON bool) goType {
	if schema == nil {
		return goType{expr: "string", shape: scalarShape}
	}
	if asJSON {
		return b.typeOf(schema)
	}
	t := schema.Deref()
	switch shapeOf(t) { //nolint:exhaustive // the other shapes are types as they are
	case anyShape:
		return goType{expr: "string", shape: scalarShape}
	case unionShape:
		if g, ok := textChoice(t); ok {
			return g
		}
	case sliceShape:
		if g, ok := textList(t); ok && b.named[t] == nil {
			return g
		}
	}
	if isBinary(schema) {
		return goType{expr: "string", shape: scalarShape}
	}
	g := b.typeOf(schema)
	if g.expr == "[]byte" {
		return goType{expr: "string", shape: scalarShape}
	}
	return g
}

func textChoice(t *spec.Node) (goType, bool) {
	list := false
	for _, v := range t.Get("oneOf").List() {
		v = v.Deref()
		switch shapeOf(v) {
		case scalarShape, enumShape:
		case sliceShape:
			if s := shapeOf(v.Get("items").Deref()); s != scalarShape && s != enumShape && s != unionShape {
				return goType{}, false
			}
			list = true
		default:
			return goType{}, false
		}
	}
	if list {
		return goType{expr: "[]string", shape: sliceShape}, true
	}
	return goType{expr: "string", shape: scalarShape}, true
}

// textList is a list whose items are any value or a choice of scalars.
func textList(t *spec.Node) (goType, bool) {
	items := t.Get("items").Deref()
	switch shapeOf(items) { //nolint:exhaustive // only these two are text
	case anyShape:
		return goType{expr: "[]string", shape: sliceShape}, true
	case unionShape:
		if g, ok := textChoice(items); ok && g.shape == scalarShape {
			return goType{expr: "[]string", shape: sliceShape}, true
		}
	}
	return goType{}, false
}

// constParam makes a required parameter with one possible value send itself.
func (b *builder) constParam(param *Param, schema *spec.Node, g goType) {
	one := single(schema)
	if one == nil || !param.Required || g.shape == unionShape || g.shape == sliceShape {
		return
	}
	switch g.expr {
	case "string", "bool", "int64", "int32", "uint64", "float64":
		param.Const = literal(schema.Deref(), one.Value)
	default:
		if g.named != nil && g.shape == enumShape {
			param.Const = g.expr + "(" + literal(schema.Deref(), one.Value) + ")"
		}
	}
	if param.In != "path" {
		param.Const = "" // a field of the params struct; the caller sees it
	}
}

func isByMethodIdempotent(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete, "QUERY":
		return true
	}
	return false
}

func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}
