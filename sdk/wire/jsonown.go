package wire

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
)

// encodeForeign leaves the value to encoding/json.
func encodeForeign(w *jsonWriter, p *plan, v reflect.Value) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if v.CanAddr() {
		v = v.Addr() // so that methods on the pointer are found, as they are in place
	}
	if err := enc.Encode(v.Interface()); err != nil {
		return &EncodeError{Reason: p.typ.String() + " cannot be written", Err: err}
	}
	w.buf = append(w.buf, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
	return nil
}

// ownEncode puts a type's own methods before its kind.
func ownEncode(t reflect.Type, byKind encodeFunc) encodeFunc {
	if t.Kind() == reflect.Pointer {
		return byKind // the methods of what it points to are found there
	}
	next := byKind
	if t.Implements(textMarshalerType) {
		next = encodeOwnText
	} else if has(t, textMarshalerType) {
		next = ifAddressable(encodeOwnText, next)
	}
	if t.Implements(marshalerType) {
		next = encodeOwnJSON
	} else if has(t, marshalerType) {
		next = ifAddressable(encodeOwnJSON, next)
	}
	if has(t, requestMarshaler) {
		return ifRequest(next)
	}
	return next
}

// ifAddressable is encoding/json's rule: methods on a pointer are called only where the value has an address.
func ifAddressable(yes, no encodeFunc) encodeFunc {
	return func(w *jsonWriter, p *plan, v reflect.Value) error {
		if v.CanAddr() {
			return yes(w, p, v.Addr())
		}
		return no(w, p, v)
	}
}

func ifRequest(otherwise encodeFunc) encodeFunc {
	return func(w *jsonWriter, p *plan, v reflect.Value) error {
		if !w.request || isNil(v) {
			return otherwise(w, p, v)
		}
		m, ok := reflect.TypeAssert[interface{ MarshalRequest() ([]byte, error) }](v)
		if !ok {
			m, _ = reflect.TypeAssert[interface{ MarshalRequest() ([]byte, error) }](addressable(v).Addr())
		}
		text, err := m.MarshalRequest()
		if err != nil {
			return ownError(err, p.typ)
		}
		return w.raw(text)
	}
}

func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

func encodeOwnJSON(w *jsonWriter, p *plan, v reflect.Value) error {
	if isNil(v) {
		return w.null()
	}
	m, _ := reflect.TypeAssert[json.Marshaler](v)
	text, err := m.MarshalJSON()
	if err != nil {
		return ownError(err, p.typ)
	}
	return w.raw(text)
}

func encodeOwnText(w *jsonWriter, p *plan, v reflect.Value) error {
	if isNil(v) {
		return w.null()
	}
	m, _ := reflect.TypeAssert[encoding.TextMarshaler](v)
	text, err := m.MarshalText()
	if err != nil {
		return ownError(err, p.typ)
	}
	w.buf = appendString(w.buf, string(text))
	return nil
}

// ownError wraps what a type's own method said; an EncodeError keeps its path.
func ownError(err error, t reflect.Type) error {
	if enc, ok := err.(*EncodeError); ok { //nolint:errorlint // only one of ours that nobody wrapped
		same := *enc
		return &same
	}
	return &EncodeError{Reason: t.String() + " cannot be written", Err: err}
}
