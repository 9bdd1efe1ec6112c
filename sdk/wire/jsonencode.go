package wire

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jsonWriter collects a JSON text.
type jsonWriter struct {
	buf     []byte
	request bool // leave out read-only members
	depth   int  // of arrays and objects
	hops    int  // over pointers and interfaces
}

// Each encode function appends v to the writer's text.

func encodeBool(w *jsonWriter, _ *plan, v reflect.Value) error {
	w.buf = strconv.AppendBool(w.buf, v.Bool())
	return nil
}

func encodeInt(w *jsonWriter, _ *plan, v reflect.Value) error {
	w.buf = strconv.AppendInt(w.buf, v.Int(), 10)
	return nil
}

func encodeUint(w *jsonWriter, _ *plan, v reflect.Value) error {
	w.buf = strconv.AppendUint(w.buf, v.Uint(), 10)
	return nil
}

func encodeFloat(w *jsonWriter, p *plan, v reflect.Value) error {
	var ok bool
	if w.buf, ok = appendFloat(w.buf, v.Float(), p.typ.Bits()); !ok {
		return &EncodeError{Reason: "JSON has no NaN and no infinity"}
	}
	return nil
}

func encodeString(w *jsonWriter, _ *plan, v reflect.Value) error {
	w.buf = appendString(w.buf, v.String())
	return nil
}

func encodeNumber(w *jsonWriter, _ *plan, v reflect.Value) error {
	text := v.String()
	if text == "" {
		text = "0"
	}
	if !isNumberText([]byte(text)) {
		return &EncodeError{Reason: "a json.Number does not hold a number"}
	}
	w.buf = append(w.buf, text...)
	return nil
}

func encodeBytes(w *jsonWriter, _ *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	w.buf = append(w.buf, '"')
	w.buf = base64.StdEncoding.AppendEncode(w.buf, v.Bytes())
	w.buf = append(w.buf, '"')
	return nil
}

func (w *jsonWriter) null() error {
	w.buf = append(w.buf, "null"...)
	return nil
}

func encodeTime(w *jsonWriter, _ *plan, v reflect.Value) error {
	t, _ := reflect.TypeAssert[time.Time](v)
	w.buf = append(w.buf, '"')
	var err error
	if w.buf, err = t.AppendText(w.buf); err != nil {
		return &EncodeError{Reason: "the time cannot be written as an RFC 3339 date-time", Err: err}
	}
	w.buf = append(w.buf, '"')
	return nil
}

func encodeRaw(w *jsonWriter, _ *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	return w.raw(v.Bytes())
}

// raw writes a text that somebody else made.
func (w *jsonWriter) raw(text []byte) error {
	buf, err := appendCompact(w.buf, text)
	if err != nil {
		return &EncodeError{Reason: "raw text is not valid JSON", Err: err}
	}
	w.buf = buf
	return nil
}

func (w *jsonWriter) enter() error {
	if w.depth++; w.depth > maxDepth {
		return &EncodeError{Reason: "nested deeper than " + strconv.Itoa(maxDepth) + ", or a cycle"}
	}
	return nil
}

// hop counts pointers and interfaces, which can be a cycle without an array or object in it.
func (w *jsonWriter) hop() error {
	if w.hops++; w.hops > 2*maxDepth {
		return &EncodeError{Reason: "a cycle of pointers"}
	}
	return nil
}

func encodePointer(w *jsonWriter, p *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	if err := w.hop(); err != nil {
		return err
	}
	err := p.elem.encode(w, p.elem, v.Elem())
	w.hops--
	return err
}

func encodeInterface(w *jsonWriter, _ *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	if err := w.hop(); err != nil {
		return err
	}
	p := planOf(v.Elem().Type())
	err := p.encode(w, p, v.Elem())
	w.hops--
	return err
}

func encodeNullable(w *jsonWriter, p *plan, v reflect.Value) error {
	n, _ := reflect.TypeAssert[nullable](addressable(v).Addr())
	value := n.wireValue()
	if value == nil {
		return w.null()
	}
	return p.elem.encode(w, p.elem, reflect.ValueOf(value).Elem())
}

func encodeSlice(w *jsonWriter, p *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	return encodeArray(w, p, v)
}

func encodeArray(w *jsonWriter, p *plan, v reflect.Value) error {
	if err := w.enter(); err != nil {
		return err
	}
	w.buf = append(w.buf, '[')
	for i := range v.Len() {
		w.comma(i)
		if err := p.elem.encode(w, p.elem, v.Index(i)); err != nil {
			return underIndex(err, i)
		}
	}
	w.buf = append(w.buf, ']')
	w.depth--
	return nil
}

func encodeMap(w *jsonWriter, p *plan, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	if err := w.enter(); err != nil {
		return err
	}
	w.buf = append(w.buf, '{')
	var err error
	if texts, ok := reflect.TypeAssert[map[string]string](v); ok {
		w.texts(texts)
	} else {
		err = w.members(p.elem, v)
	}
	w.buf = append(w.buf, '}')
	w.depth--
	return err
}

func (w *jsonWriter) texts(m map[string]string) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		w.comma(i)
		w.buf = append(appendString(w.buf, name), ':')
		w.buf = appendString(w.buf, m[name])
	}
}

func (w *jsonWriter) members(p *plan, v reflect.Value) error {
	for i, m := range sortedMembers(v) {
		w.comma(i)
		if err := w.member(p, m); err != nil {
			return err
		}
	}
	return nil
}

func (w *jsonWriter) comma(i int) {
	if i > 0 {
		w.buf = append(w.buf, ',')
	}
}

func (w *jsonWriter) member(p *plan, m member) error {
	w.buf = append(appendString(w.buf, m.name), ':')
	if err := p.encode(w, p, m.value); err != nil {
		return underMember(err, m.name)
	}
	return nil
}

// member is one entry of a map.
type member struct {
	name  string
	value reflect.Value
}

func sortedMembers(m reflect.Value) []member {
	out := make([]member, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		out = append(out, member{it.Key().String(), it.Value()})
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}

// encodeStruct writes the members in the order of the fields, then the unknown ones sorted by name.
func encodeStruct(w *jsonWriter, p *plan, v reflect.Value) error {
	if err := w.enter(); err != nil {
		return err
	}
	o := p.object
	open := len(w.buf)
	w.buf = append(w.buf, '{')
	for i := range o.fields {
		f := &o.fields[i]
		fv := v.Field(f.index)
		if w.leavesOut(f, fv) {
			continue
		}
		if len(w.buf) > open+1 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(w.buf, f.key...)
		if f.constant != "" && fv.IsZero() {
			w.buf = append(w.buf, f.constant...)
			continue
		}
		if err := f.plan.encode(w, f.plan, fv); err != nil {
			return underMember(err, f.name)
		}
	}
	if o.extra >= 0 && v.Field(o.extra).Len() > 0 {
		if err := w.extra(o, v, open); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, '}')
	w.depth--
	return nil
}

// leavesOut reports whether the member is not written.
func (w *jsonWriter) leavesOut(f *field, v reflect.Value) bool {
	if f.readOnly && w.request {
		return true
	}
	if f.constant != "" {
		return false
	}
	return f.omitEmpty && isEmpty(v) || f.omitZero && f.isZero(v)
}

// extra writes the members that have no field. A name that has one may stand here too, to send what the field cannot
// say (a null, say), but not beside the field itself.
func (w *jsonWriter) extra(o *structPlan, v reflect.Value, open int) error {
	for _, m := range sortedMembers(v.Field(o.extra)) {
		if i, ok := o.byName[m.name]; ok {
			if f := &o.fields[i]; !w.leavesOut(f, v.Field(f.index)) {
				return underMember(&EncodeError{Reason: "set both in its field and among the unknown members"}, m.name)
			}
		}
		if len(w.buf) > open+1 {
			w.buf = append(w.buf, ',')
		}
		if err := w.member(o.rest.elem, m); err != nil {
			return err
		}
	}
	return nil
}
