package wire

import (
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

func itoa(i int) string { return strconv.Itoa(i) }

// Params are the parameters of a request outside its path.
type Params struct {
	Query   string      // encoded, without the question mark
	Header  http.Header // nil when there is none
	Cookies []string    // name=value, encoded; the caller joins them by "; "
}

// AddParams writes the fields of v, a struct or a pointer to one, that have a tag query, header or cookie:
//
//	Limit  *int              `query:"limit"`
//	Filter map[string]string `query:"filter,style=deepObject"`
//	Tags   []string          `query:"tags,explode=false"`
//	Match  *string           `header:"If-Match"`
//	Token  string            `cookie:"sid,required"`
//
// After the name come style=, explode=true or explode=false, reserved (allowReserved), json (the value is JSON, as a
// parameter with content application/json has it) and required. Without them the defaults of the OpenAPI
// Specification hold: form for query and cookie, simple for header, exploded where the style is form.
//
// Nil pointers, slices and maps and absent Nullables are left out, and so are empty arrays and objects (RFC 6570
// section 2.3); when required they are an error. A null Nullable is sent as an empty value. Header values are not
// percent-encoded (3.1.1, appendix D); one that has a line break or another control character is refused. Errors are
// of type [*ParamError]. dst may already hold parameters; they stay.
func AddParams(dst *Params, v any) error {
	source := reflect.ValueOf(v)
	for source.Kind() == reflect.Pointer || source.Kind() == reflect.Interface {
		if source.IsNil() {
			return nil
		}
		source = source.Elem()
	}
	if source.Kind() != reflect.Struct {
		return nil
	}
	fields, err := paramsOf(source.Type())
	if err != nil {
		return err
	}
	query := make([]byte, 0, 128)
	query = append(query, dst.Query...)
	for i := range fields {
		if query, err = fields[i].add(dst, query, source.Field(fields[i].index)); err != nil {
			return err
		}
	}
	dst.Query = string(query)
	return nil
}

// param is the plan of one field.
type param struct {
	in, name                   string
	index                      int
	style                      Style
	explode                    bool
	reserved, json, isRequired bool
}

// paramPlans holds the plans that were made so far.
var paramPlans sync.Map // reflect.Type to []param

func paramsOf(t reflect.Type) ([]param, error) {
	if p, ok := paramPlans.Load(t); ok {
		return p.([]param), nil //nolint:forcetypeassert // the map holds nothing else
	}
	var out []param
	for i := range t.NumField() {
		f := t.Field(i)
		for _, in := range []string{inQuery, inHeader, inCookie} {
			tag, ok := f.Tag.Lookup(in)
			if !ok || tag == "-" || !f.IsExported() {
				continue
			}
			p, err := parseParam(in, tag)
			if err != nil {
				return nil, err
			}
			p.index = i
			out = append(out, p)
		}
	}
	paramPlans.Store(t, out)
	return out, nil
}

func parseParam(in, tag string) (param, error) {
	name, options, _ := strings.Cut(tag, ",")
	name, err := url.PathUnescape(name)
	if err != nil {
		return param{}, &ParamError{In: in, Name: name, Reason: "has a tag that is not percent-encoded: " + tag}
	}
	p := param{in: in, name: name, style: FormStyle}
	if in == inHeader {
		p.style = Simple
	}
	explode := ""
	for options != "" {
		var o string
		o, options, _ = strings.Cut(options, ",")
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "style":
			p.style = Style(value)
		case "explode":
			explode = value
		case "reserved":
			p.reserved = true
		case "json":
			p.json = true
		case "required":
			p.isRequired = true
		default:
			return p, &ParamError{In: in, Name: name, Reason: "its tag has the unknown option " + key}
		}
	}
	if !styleFits(in, p.style) {
		return p, &ParamError{In: in, Name: name, Reason: "cannot have the style " + string(p.style)}
	}
	p.explode = explode == "true" || explode == "" && p.style == FormStyle
	return p, nil
}

func styleFits(in string, style Style) bool {
	switch style {
	case Simple:
		return in == inHeader
	case FormStyle:
		return in != inHeader
	case SpaceDelimited, PipeDelimited, DeepObject:
		return in == inQuery
	case Label, Matrix:
	}
	return false
}

func (p *param) fail(reason string, err error) error {
	return &ParamError{In: p.in, Name: p.name, Reason: reason, Err: err}
}

// add writes the parameter: a query parameter behind the query that is there, others into dst.
func (p *param) add(dst *Params, query []byte, v reflect.Value) ([]byte, error) {
	n, plain := node{}, false
	if !p.json {
		n, plain = plainList(v)
	}
	var err error
	if !plain {
		if n, err = nodeOf(v); err != nil {
			return query, p.fail("cannot be written", err)
		}
	}
	if n.kind == absent || (n.kind == list || n.kind == object) && len(n.items) == 0 && !p.json {
		if p.isRequired {
			return query, p.fail("is required", nil)
		}
		return query, nil
	}
	if p.json {
		if n, err = n.asJSON(v); err != nil {
			return query, p.fail("cannot be written", err)
		}
	}
	switch p.in {
	case inQuery:
		return n.appendQuery(query, p), nil
	case inCookie:
		esc := escaper{reserved: p.reserved, keep: reservedInCookie}
		dst.Cookies = appendPairs(dst.Cookies, n.pairs(p.name, p.style, p.explode, esc))
	default:
		return query, p.addHeader(dst, n)
	}
	return query, nil
}

func (n node) appendQuery(query []byte, p *param) []byte {
	esc := escaper{reserved: p.reserved, keep: reservedInQuery}
	if n.kind == scalar {
		query = esc.append(append(appendName(query, p.name), '='), n.text)
		return query
	}
	for _, pair := range n.pairs(p.name, p.style, p.explode, esc) {
		if len(query) > 0 {
			query = append(query, '&')
		}
		query = append(append(append(query, pair.key...), '='), pair.value...)
	}
	return query
}

// appendName begins another parameter.
func appendName(query []byte, name string) []byte {
	if len(query) > 0 {
		query = append(query, '&')
	}
	return escaper{}.append(query, name)
}

// asJSON gives a scalar whose text is the value's JSON.
func (n node) asJSON(v reflect.Value) (node, error) {
	if n.raw == nil {
		text, err := MarshalRequest(v.Interface())
		if err != nil {
			return n, err
		}
		n.raw = text
	}
	return node{kind: scalar, text: string(n.raw)}, nil
}

func (p *param) addHeader(dst *Params, n node) error {
	text := n.simple(p.explode, escaper{none: true})
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return p.fail("has a line break or another control character", nil)
		}
	}
	for _, item := range n.items {
		if strings.Contains(item.flat(), ",") && !strings.HasPrefix(item.flat(), `"`) {
			return p.fail("has an item with a comma, which would be read as two items", nil)
		}
	}
	if dst.Header == nil {
		dst.Header = http.Header{}
	}
	dst.Header.Set(p.name, text)
	return nil
}
