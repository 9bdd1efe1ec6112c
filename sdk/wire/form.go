package wire

import (
	"reflect"
	"slices"
	"strings"
)

// Encoding says how one property of a form or multipart body is written: the Encoding Object of the OpenAPI
// Specification (3.1.1 section 4.8.15). With a Style, the property is written as a query parameter of that style;
// without one, by ContentType, which defaults to text for scalars and JSON for objects, an array item by item.
type Encoding struct {
	Property    string
	ContentType string
	Style       Style
	Explode     bool
	Reserved    bool
}

// Form writes the body of an application/x-www-form-urlencoded request from v, a struct or a map. Properties come in
// the order of their names, spaces are written as + (WHATWG URL, section 5.2). A null is sent as an empty value.
func Form(v any, enc []Encoding) (string, error) {
	n, err := nodeOf(reflect.ValueOf(v))
	if err != nil {
		return "", &ParamError{In: inBody, Reason: "cannot be written", Err: err}
	}
	if n.kind == absent || n.kind == null {
		return "", nil
	}
	if n.kind != object {
		return "", &ParamError{In: inBody, Reason: "a form is made of an object"}
	}
	var pairs []string
	for _, i := range n.byName() {
		e, styled := encodingOf(enc, n.names[i])
		esc := escaper{plus: true, reserved: e.Reserved, keep: reservedInQuery}
		if styled {
			pairs = appendPairs(pairs, n.items[i].pairs(e.Property, e.Style, e.Explode, esc))
			continue
		}
		pairs = appendPairs(pairs, n.items[i].plainPairs(n.names[i], e.ContentType, esc))
	}
	return strings.Join(pairs, "&"), nil
}

// plainPairs writes a property that no style was given for: arrays item by item, objects as JSON.
func (n node) plainPairs(name, contentType string, e escaper) []pair {
	if IsJSON(contentType) {
		return []pair{{e.name(name), e.escape(string(n.json()))}}
	}
	if n.kind == list {
		return n.pairs(name, FormStyle, true, e)
	}
	return []pair{{e.name(name), e.escape(n.flat())}}
}

// json gives the JSON text of a node.
func (n node) json() []byte {
	if n.raw != nil {
		return n.raw
	}
	return appendString(nil, n.text)
}

// byName gives the indexes of an object's items in the order of their names.
func (n node) byName() []int {
	order := make([]int, len(n.items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(n.names[a], n.names[b]) })
	return order
}

// encodingOf gives the encoding of a property, and whether it has a style.
func encodingOf(enc []Encoding, property string) (Encoding, bool) {
	for _, e := range enc {
		if e.Property == property {
			return e, e.Style != ""
		}
	}
	return Encoding{Property: property}, false
}
