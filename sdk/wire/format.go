package wire

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// formatDepth is how many levels Format goes down; what is below is shown as dots. It also ends cycles.
const formatDepth = 16

// Format prints a struct for people, as the String method of generated types does: {ID:ord_1 Token:*** Total:12}.
// Fields tagged `wire:"secret"` or `wire:"writeonly"` and values of type [Secret] are masked at every depth. Of
// members that the document does not know only the names are shown, since nobody said that they are harmless, and
// pointers show what they point to. The form is for reading and may change.
func Format(v any) string {
	var b strings.Builder
	format(&b, reflect.ValueOf(v), formatDepth)
	return b.String()
}

func format(b *strings.Builder, v reflect.Value, depth int) {
	if depth == 0 {
		b.WriteString("...")
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		b.WriteString("<nil>")
		return
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("<nil>")
			return
		}
		format(b, v.Elem(), depth-1)
		return
	default:
	}
	if formatKnown(b, v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		formatStruct(b, v, depth)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b.WriteString(strconv.Itoa(v.Len()) + " bytes")
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			format(b, v.Index(i), depth-1)
		}
		b.WriteByte(']')
	case reflect.Map:
		formatMap(b, v, depth)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		b.WriteString(v.Type().String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}

// formatKnown prints the types that have a form of their own.
func formatKnown(b *strings.Builder, v reflect.Value, depth int) bool {
	if !v.CanInterface() {
		return true
	}
	switch x := v.Interface().(type) {
	case Secret:
		b.WriteString(mask)
		return true
	case nullable: // never: its methods are on the pointer
	case encoding.TextMarshaler:
		if text, err := x.MarshalText(); err == nil {
			b.Write(text)
			return true
		}
	case fmt.Stringer:
		if v.Kind() == reflect.Struct && !marked(v.Type()) { // unions among them
			b.WriteString(x.String())
			return true
		}
	}
	if !reflect.PointerTo(v.Type()).Implements(nullableType) {
		return false
	}
	n, _ := reflect.TypeAssert[nullable](addressable(v).Addr())
	value := n.wireValue()
	if value == nil {
		b.WriteString("null")
		return true
	}
	format(b, reflect.ValueOf(value).Elem(), depth-1)
	return true
}

func formatStruct(b *strings.Builder, v reflect.Value, depth int) {
	t := v.Type()
	b.WriteByte('{')
	first := true
	for i := range t.NumField() {
		f := t.Field(i)
		tag := parseWireTag(f.Tag.Get("wire"))
		fv := v.Field(i)
		if !f.IsExported() || notThere(fv) || tag.secret && fv.IsZero() {
			continue
		}
		if !first {
			b.WriteByte(' ')
		}
		first = false
		b.WriteString(f.Name + ":")
		switch {
		case tag.secret:
			b.WriteString(mask)
		case tag.extra:
			formatNames(b, fv)
		default:
			format(b, fv, depth-1)
		}
	}
	b.WriteByte('}')
}

// notThere reports whether a field holds nothing that could be shown.
func notThere(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
	}
	if reflect.PointerTo(v.Type()).Implements(nullableType) {
		return callIsZero(v)
	}
	return v.Type() == reflect.TypeFor[Secret]() && v.IsZero()
}

// formatNames prints the keys of the map of unknown members.
func formatNames(b *strings.Builder, v reflect.Value) {
	b.WriteByte('[')
	for i, m := range sortedMembers(v) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.name)
	}
	b.WriteByte(']')
}

func formatMap(b *strings.Builder, v reflect.Value, depth int) {
	if v.Type().Key().Kind() != reflect.String {
		b.WriteString(strconv.Itoa(v.Len()) + " entries")
		return
	}
	b.WriteString("map[")
	for i, m := range sortedMembers(v) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.name + ":")
		format(b, m.value, depth-1)
	}
	b.WriteByte(']')
}
