package wire

import (
	"encoding/json"
	"reflect"
	"sync"
)

// Unmarshal reads a JSON text into v, a non-nil pointer. It means what [json.Unmarshal] means, besides this:
//
//   - A struct with a field tagged `wire:"extra"`, a map with string keys, keeps there every member that it has no
//     field for. The names of its own members must match exactly, since for it "ID" and "id" are two members.
//   - A struct with any wire tag is read by its fields, not by its UnmarshalJSON, which generated code points here.
//   - The text is read once. When it is not valid JSON or has a value of the wrong kind, v may be partly filled.
//   - Errors are of type [*DecodeError]: they name the path of the value and do not print it.
//
// A member that comes twice counts the second time, names and strings that are not UTF-8 get U+FFFD, more than 10000
// levels of nesting and data after the value are refused: all of it as in encoding/json.
func Unmarshal(data []byte, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
	}
	p := planOf(target.Type().Elem())
	return read(data, p, p.decode, target.Elem())
}

// UnmarshalObject reads a JSON object into v, a pointer to a struct, by its fields. It is what the UnmarshalJSON
// method of a generated struct calls; [Unmarshal] tells the rules. A null leaves v as it is.
func UnmarshalObject(data []byte, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Type().Elem().Kind() != reflect.Struct {
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
	}
	p := planOf(target.Type().Elem())
	if p.object == nil {
		return &DecodeError{Reason: p.typ.String() + " cannot be read: " + p.why}
	}
	return read(data, p, decodeStruct, target.Elem())
}

func read(data []byte, p *plan, decode decodeFunc, v reflect.Value) error {
	r := jsonReader{data: data}
	if err := r.space(); err != nil {
		return err
	}
	if err := decode(&r, p, v); err != nil {
		return sealPath(err)
	}
	if r.pos < len(data) {
		return r.end()
	}
	return nil
}

// Marshal writes v as JSON. It means what [json.Marshal] means, besides this:
//
//   - The characters <, > and & are not escaped.
//   - A struct with a field tagged `wire:"extra"` writes the members of that map after its own, sorted by name. A
//     member that is also written from a field is an error.
//   - A field tagged `wire:"const=TEXT"` is written as that JSON text when it has its zero value, and never left out.
//   - A struct with any wire tag is written by its fields, not by its MarshalJSON, which generated code points here.
//   - Values nested deeper than 10000 levels, cycles among them, are refused.
//
// The same value gives the same bytes, always. Errors are of type [*EncodeError].
func Marshal(v any) ([]byte, error) {
	return write(v, false)
}

// MarshalRequest is [Marshal] for what a client sends: members tagged `wire:"readonly"` are left out at every depth
// (readOnly in the OpenAPI Specification, "SHOULD NOT be sent as part of the request"). A type with a method
// MarshalRequest() ([]byte, error) is written by that method instead of its MarshalJSON.
func MarshalRequest(v any) ([]byte, error) {
	return write(v, true)
}

// MarshalObject writes a struct, or a pointer to one, by its fields. It is what the MarshalJSON method of a generated
// struct calls; [Marshal] tells the rules. A nil pointer gives null.
func MarshalObject(v any) ([]byte, error) {
	source := reflect.ValueOf(v)
	for source.Kind() == reflect.Pointer {
		if source.IsNil() {
			return []byte("null"), nil
		}
		source = source.Elem()
	}
	if source.Kind() != reflect.Struct {
		return nil, &EncodeError{Reason: "not a struct"}
	}
	p := planOf(source.Type())
	if p.object == nil {
		return nil, &EncodeError{Reason: p.typ.String() + " cannot be written: " + p.why}
	}
	return finish(p, encodeStruct, source, false)
}

func write(v any, request bool) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	p := planOf(reflect.TypeOf(v))
	return finish(p, p.encode, reflect.ValueOf(v), request)
}

// writers holds buffers that are used again.
var writers = sync.Pool{New: func() any { return new(jsonWriter) }}

// largestKept is the size in bytes up to which a buffer is used again.
const largestKept = 1 << 16

func finish(p *plan, encode encodeFunc, v reflect.Value, request bool) ([]byte, error) {
	w, _ := writers.Get().(*jsonWriter)
	w.buf, w.request, w.depth, w.hops = w.buf[:0], request, 0, 0
	err := encode(w, p, v)
	var out []byte
	if err == nil {
		out = append(out, w.buf...)
	} else {
		err = sealPath(err)
	}
	if cap(w.buf) <= largestKept {
		writers.Put(w)
	}
	return out, err
}
