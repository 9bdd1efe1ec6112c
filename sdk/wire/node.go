package wire

import (
	"reflect"
	"strconv"
)

// node is a value as the styles of parameters and forms see it: what JSON would say, taken apart.
type node struct {
	kind  nodeKind
	text  string   // of a scalar, without quotes
	names []string // of the items of an object
	items []node
	raw   []byte // the JSON text; of scalars made without one it is empty
}

type nodeKind uint8

const (
	absent nodeKind = iota
	null
	scalar
	list
	object
)

// nodeOf takes a value apart. Nil pointers, slices, maps and interfaces and absent Nullables are absent.
func nodeOf(v reflect.Value) (node, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return node{}, nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return node{}, nil
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return node{}, nil
		}
	default:
	}
	t := v.Type()
	if reflect.PointerTo(t).Implements(nullableType) && callIsZero(v) {
		return node{}, nil
	}
	if text, ok := plainText(v); ok {
		return node{kind: scalar, text: text}, nil
	}
	w := jsonWriter{request: true}
	p := planOf(t)
	if err := p.encode(&w, p, addressable(v)); err != nil {
		return node{}, err
	}
	return parseNode(w.buf)
}

// plainText gives the text of strings, booleans and integers, without a way round over JSON.
func plainText(v reflect.Value) (string, bool) {
	t := v.Type()
	switch v.Kind() {
	case reflect.String:
		if t.PkgPath() == "" || reflect.PointerTo(t).NumMethod() == 0 {
			return v.String(), true
		}
	case reflect.Bool:
		if t.PkgPath() == "" {
			return strconv.FormatBool(v.Bool()), true
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if t.PkgPath() == "" {
			return strconv.FormatInt(v.Int(), 10), true
		}
	default:
	}
	return "", false
}

// plainList takes a slice apart whose elements are plain texts. The node has no JSON.
func plainList(v reflect.Value) (node, bool) {
	if v.Kind() != reflect.Slice || v.Len() == 0 || v.Type().PkgPath() != "" {
		return node{}, false
	}
	n := node{kind: list, items: make([]node, v.Len())}
	for i := range n.items {
		text, ok := plainText(v.Index(i))
		if !ok {
			return node{}, false
		}
		n.items[i] = node{kind: scalar, text: text}
	}
	return n, true
}

// parseNode takes a JSON text apart.
func parseNode(text []byte) (node, error) {
	r := jsonReader{data: text}
	if err := r.space(); err != nil {
		return node{}, err
	}
	n, err := r.node()
	if err == nil && r.pos < len(text) {
		err = r.end()
	}
	return n, err
}

func (r *jsonReader) node() (node, error) {
	start := r.pos
	n := node{kind: scalar}
	var err error
	switch r.kind() {
	case "null":
		n.kind = null
		err = r.skip()
	case "string":
		var b []byte
		var shape stringShape
		b, shape, err = r.rawString()
		n.text = string(unquote(b, shape))
	case "array":
		err = r.nodeList(&n)
	case kindObject:
		err = r.nodeObject(&n)
	default:
		err = r.skip()
		n.text = string(r.data[start:r.pos])
	}
	n.raw = r.data[start:r.pos]
	return n, err
}

func (r *jsonReader) nodeList(n *node) error {
	n.kind = list
	more, err := r.open(']')
	for more && err == nil {
		var item node
		if item, err = r.node(); err != nil {
			return err
		}
		n.items = append(n.items, item)
		more, err = r.more(']')
	}
	return err
}

func (r *jsonReader) nodeObject(n *node) error {
	n.kind = object
	more, err := r.open('}')
	for more && err == nil {
		name, shape, err := r.member()
		if err != nil {
			return err
		}
		item, err := r.node()
		if err != nil {
			return err
		}
		n.names = append(n.names, string(unquote(name, shape)))
		n.items = append(n.items, item)
		if more, err = r.more('}'); err != nil {
			return err
		}
	}
	return err
}

// flat gives the text of a value that stands inside another one: scalars as they are, nulls empty, and arrays and
// objects, for which the styles have no rule, as JSON.
func (n node) flat() string {
	if n.kind == list || n.kind == object {
		return string(n.raw)
	}
	return n.text
}
