package wire

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
)

// Each decode function starts at the first byte of a value, stores it in v, which can be set, and ends behind it.
// A null leaves values that cannot be nil as they are, as in encoding/json.

func decodeBool(r *jsonReader, _ *plan, v reflect.Value) error {
	switch r.data[r.pos] {
	case 't':
		v.SetBool(true)
		return r.literal("true")
	case 'f':
		v.SetBool(false)
		return r.literal("false")
	}
	return r.nullOr("boolean")
}

// nullOr passes a null and refuses everything else.
func (r *jsonReader) nullOr(want string) error {
	if is, err := r.null(); is || err != nil {
		return err
	}
	return r.mismatch(want)
}

// isNumber reports whether the value at the reader's place begins like a number.
func (r *jsonReader) isNumber() bool {
	c := r.data[r.pos]
	return c == '-' || c >= '0' && c <= '9'
}

func decodeInt(r *jsonReader, p *plan, v reflect.Value) error {
	if !r.isNumber() {
		return r.nullOr("integer")
	}
	start := r.pos
	text, integer, err := r.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || v.OverflowInt(n) {
		return r.misfit(start, integer, p.typ)
	}
	v.SetInt(n)
	return nil
}

func decodeUint(r *jsonReader, p *plan, v reflect.Value) error {
	if !r.isNumber() {
		return r.nullOr("integer")
	}
	start := r.pos
	text, integer, err := r.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || v.OverflowUint(n) {
		return r.misfit(start, integer, p.typ)
	}
	v.SetUint(n)
	return nil
}

func decodeFloat(r *jsonReader, p *plan, v reflect.Value) error {
	if !r.isNumber() {
		return r.nullOr("number")
	}
	start := r.pos
	text, _, err := r.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(string(text), p.typ.Bits())
	if err != nil || v.OverflowFloat(n) {
		return r.misfit(start, true, p.typ)
	}
	v.SetFloat(n)
	return nil
}

// misfit reports a number that the type cannot hold.
func (r *jsonReader) misfit(start int, integer bool, t reflect.Type) error {
	reason := "number does not fit " + t.Kind().String()
	if !integer {
		reason = "want integer, got a number with a fraction or an exponent"
	}
	return &DecodeError{Offset: int64(start), Reason: reason}
}

func decodeString(r *jsonReader, _ *plan, v reflect.Value) error {
	if r.data[r.pos] != '"' {
		return r.nullOr("string")
	}
	b, shape, err := r.rawString()
	if err == nil {
		v.SetString(string(unquote(b, shape)))
	}
	return err
}

// decodeNumber reads a json.Number, which keeps every digit; like encoding/json it also takes a string that holds one.
func decodeNumber(r *jsonReader, _ *plan, v reflect.Value) error {
	start := r.pos
	if r.data[r.pos] == '"' {
		b, shape, err := r.rawString()
		if err != nil {
			return err
		}
		text := unquote(b, shape)
		if !isNumberText(text) {
			return &DecodeError{Offset: int64(start), Reason: "want number, got string"}
		}
		v.SetString(string(text))
		return nil
	}
	if !r.isNumber() {
		return r.nullOr("number")
	}
	text, _, err := r.number()
	if err == nil {
		v.SetString(string(text))
	}
	return err
}

// isNumberText reports whether the text is a JSON number and nothing else.
func isNumberText(text []byte) bool {
	r := jsonReader{data: text}
	_, _, err := r.number()
	return err == nil && r.pos == len(text)
}

func decodeBytes(r *jsonReader, p *plan, v reflect.Value) error {
	switch r.data[r.pos] {
	case '"':
	case 'n':
		v.SetZero()
		return r.literal("null")
	default:
		return decodeForeign(r, p, v) // an array of numbers
	}
	start := r.pos
	b, shape, err := r.rawString()
	if err != nil {
		return err
	}
	b = unquote(b, shape)
	out := make([]byte, base64.StdEncoding.DecodedLen(len(b)))
	n, err := base64.StdEncoding.Decode(out, b)
	if err != nil {
		return &DecodeError{Offset: int64(start), Reason: "string is not base64", Err: err}
	}
	v.SetBytes(out[:n])
	return nil
}

func decodePointer(r *jsonReader, p *plan, v reflect.Value) error {
	if is, err := r.null(); is || err != nil {
		if err == nil {
			v.SetZero()
		}
		return err
	}
	if v.IsNil() {
		v.Set(reflect.New(p.elem.typ))
	}
	return p.elem.decode(r, p.elem, v.Elem())
}

func decodeTime(r *jsonReader, _ *plan, v reflect.Value) error {
	if r.data[r.pos] != '"' {
		return r.nullOr("string")
	}
	start := r.pos
	_, _, err := r.rawString()
	if err != nil {
		return err
	}
	t, _ := reflect.TypeAssert[*time.Time](v.Addr())
	if err := t.UnmarshalJSON(r.data[start:r.pos]); err != nil {
		return &DecodeError{Offset: int64(start), Reason: "string is not an RFC 3339 date-time", Err: err}
	}
	return nil
}

func decodeRaw(r *jsonReader, _ *plan, v reflect.Value) error {
	start := r.pos
	err := r.skip()
	if err == nil {
		v.SetBytes(append(v.Bytes()[:0:0], r.data[start:r.pos]...))
	}
	return err
}

func decodeNullable(r *jsonReader, p *plan, v reflect.Value) error {
	n, _ := reflect.TypeAssert[nullable](v.Addr())
	is, err := r.null()
	if err != nil {
		return err
	}
	target := n.wireTarget(is)
	if is {
		return nil
	}
	return p.elem.decode(r, p.elem, reflect.ValueOf(target).Elem())
}

// decodeForeign leaves the value to encoding/json.
func decodeForeign(r *jsonReader, p *plan, v reflect.Value) error {
	start := r.pos
	if err := r.skip(); err != nil {
		return err
	}
	if err := json.Unmarshal(r.data[start:r.pos], v.Addr().Interface()); err != nil {
		return foreignError(err, start, p.typ)
	}
	return nil
}

// foreignError wraps what a type's own method said; a DecodeError keeps its path.
func foreignError(err error, start int, t reflect.Type) error {
	if dec, ok := err.(*DecodeError); ok { //nolint:errorlint // only one of ours that nobody wrapped
		moved := *dec
		moved.Offset += int64(start)
		return &moved
	}
	return &DecodeError{Offset: int64(start), Reason: "not a valid " + t.String(), Err: err}
}

// ownDecode puts a type's own methods before its kind.
func ownDecode(t reflect.Type, byKind decodeFunc) decodeFunc {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return byKind
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return decodeOwnJSON
	case reflect.PointerTo(t).Implements(textUnmarshalerType):
		return decodeOwnText
	}
	return byKind
}

func decodeOwnJSON(r *jsonReader, p *plan, v reflect.Value) error {
	start := r.pos
	if err := r.skip(); err != nil {
		return err
	}
	u, _ := reflect.TypeAssert[json.Unmarshaler](v.Addr())
	if err := u.UnmarshalJSON(r.data[start:r.pos]); err != nil {
		return foreignError(err, start, p.typ)
	}
	return nil
}

func decodeOwnText(r *jsonReader, p *plan, v reflect.Value) error {
	start := r.pos
	if is, err := r.null(); is || err != nil {
		if k := v.Kind(); err == nil && (k == reflect.Map || k == reflect.Slice) {
			v.SetZero()
		}
		return err
	}
	if r.data[r.pos] != '"' {
		return r.mismatch("string")
	}
	b, shape, err := r.rawString()
	if err != nil {
		return err
	}
	u, _ := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
	if err := u.UnmarshalText(unquote(b, shape)); err != nil {
		return foreignError(err, start, p.typ)
	}
	return nil
}
