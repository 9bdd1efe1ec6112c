package wire

import (
	"net/http"
	"reflect"
	"strings"
)

// DecodeHeader reads a typed header of an answer, written in the style simple (OpenAPI Specification 3.1.1 section
// 4.8.21), into dst, a non-nil pointer. found is false, and dst as it was, when the answer does not have the header.
// Several lines of one header count as one with commas between them (RFC 9110 section 5.3). A type with an
// UnmarshalText method reads the whole text. Errors are of type [*ParamError].
func DecodeHeader(h http.Header, name string, explode bool, dst any) (found bool, err error) {
	lines := h.Values(name)
	if len(lines) == 0 {
		return false, nil
	}
	target := reflect.ValueOf(dst)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return true, &ParamError{In: inHeader, Name: name, Reason: "the destination is not a pointer"}
	}
	if err := decodeSimple(strings.Join(lines, ","), explode, target.Elem()); err != nil {
		return true, &ParamError{In: inHeader, Name: name, Reason: "cannot be read as " + target.Type().Elem().String(), Err: err}
	}
	return true, nil
}

// decodeSimple turns the text of the style simple into JSON of the target's kind and reads that.
func decodeSimple(text string, explode bool, v reflect.Value) error {
	var w jsonWriter
	t := v.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	switch own := has(t, textUnmarshalerType) || has(t, unmarshalerType) && !marked(t); {
	case own || t.Kind() != reflect.Slice && t.Kind() != reflect.Map && t.Kind() != reflect.Struct:
		w.scalarText(t, text)
	case t.Kind() == reflect.Slice:
		w.buf = append(w.buf, '[')
		for i, item := range items {
			w.comma(i)
			w.scalarText(t.Elem(), item)
		}
		w.buf = append(w.buf, ']')
	default:
		w.object(t, items, explode)
	}
	return Unmarshal(w.buf, v.Addr().Interface())
}

func marked(t reflect.Type) bool {
	p := planOf(t)
	return p.object != nil && p.object.marked
}

// object writes k=v,k=v or k,v,k,v as a JSON object.
func (w *jsonWriter) object(t reflect.Type, items []string, explode bool) {
	step := 2
	if explode {
		step = 1
	}
	w.buf = append(w.buf, '{')
	for i := 0; i+step <= len(items); i += step {
		key, value, _ := strings.Cut(items[i], "=")
		if !explode {
			key, value = items[i], items[i+1]
		}
		w.comma(i)
		w.buf = append(appendString(w.buf, key), ':')
		w.scalarText(memberType(t, key), value)
	}
	w.buf = append(w.buf, '}')
}

// memberType gives the type of a member of a struct or a map; a string when it is not known.
func memberType(t reflect.Type, name string) reflect.Type {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	if o := planOf(t).object; o != nil {
		if i := o.find([]byte(name), 0); i >= 0 {
			return o.fields[i].plan.typ
		}
	}
	return reflect.TypeFor[string]()
}

// scalarText writes a text as the JSON scalar that a value of type t is read from.
func (w *jsonWriter) scalarText(t reflect.Type, text string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case has(t, textUnmarshalerType), k == reflect.String && t != numberType:
	case k == reflect.Bool && (text == "true" || text == "false"), k != reflect.Bool && isNumberText([]byte(text)):
		w.buf = append(w.buf, text...)
		return
	}
	w.buf = appendString(w.buf, text)
}
