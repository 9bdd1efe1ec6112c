package wire

import "reflect"

// PathValue writes a path parameter as the text that stands for {name} in the template: percent-encoded, with the
// style and explode of the OpenAPI Specification (3.1.1 section 4.8.12.6). An empty style is [Simple].
//
// A slash in the value becomes %2F and cannot reach another endpoint. A text that is empty, "." or ".." would be
// resolved as a relative path (RFC 3986 section 5.2.4), which encoding cannot prevent: it is refused with a
// [*ParamError], and so are values that are absent or null.
func PathValue(name string, style Style, explode bool, v any) (string, error) {
	fail := func(reason string, err error) (string, error) {
		return "", &ParamError{In: inPath, Name: name, Reason: reason, Err: err}
	}
	n, err := nodeOf(reflect.ValueOf(v))
	if err != nil {
		return fail("cannot be written", err)
	}
	if n.kind == absent || n.kind == null {
		return fail("has no value", nil)
	}
	if (n.kind == list || n.kind == object) && len(n.items) == 0 {
		return fail("is empty", nil)
	}
	var text string
	switch style {
	case Label:
		text = n.label(explode, escaper{})
	case Matrix:
		text = n.matrix(name, explode, escaper{})
	case Simple, "":
		text = n.simple(explode, escaper{})
	default:
		return fail("cannot have the style "+string(style), nil)
	}
	switch text {
	case "":
		return fail("is empty", nil)
	case ".", "..":
		return fail("is a relative path segment", nil)
	}
	return text, nil
}
