package wire

import (
	"encoding/json"
	"reflect"
)

func decodeSlice(r *jsonReader, p *plan, v reflect.Value) error {
	if r.data[r.pos] != '[' {
		if is, err := r.null(); is || err != nil {
			if err == nil {
				v.SetZero()
			}
			return err
		}
		return r.mismatch("array")
	}
	n := 0
	more, err := r.open(']')
	for more && err == nil {
		if n >= v.Cap() {
			v.Grow(max(1, min(4, 4-n)))
		}
		if n >= v.Len() {
			v.SetLen(n + 1)
		}
		if err := p.elem.decode(r, p.elem, v.Index(n)); err != nil {
			return underIndex(err, n)
		}
		n++
		more, err = r.more(']')
	}
	if err != nil {
		return err
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(p.typ, 0, 0))
		return nil
	}
	v.SetLen(n)
	return nil
}

func decodeArray(r *jsonReader, p *plan, v reflect.Value) error {
	if r.data[r.pos] != '[' {
		return r.nullOr("array")
	}
	n := 0
	more, err := r.open(']')
	for more && err == nil {
		if n < v.Len() {
			err = p.elem.decode(r, p.elem, v.Index(n))
		} else {
			err = r.skip()
		}
		if err != nil {
			return underIndex(err, n)
		}
		n++
		more, err = r.more(']')
	}
	for ; err == nil && n < v.Len(); n++ {
		v.Index(n).SetZero()
	}
	return err
}

func decodeMap(r *jsonReader, p *plan, v reflect.Value) error {
	if r.data[r.pos] != '{' {
		if is, err := r.null(); is || err != nil {
			if err == nil {
				v.SetZero()
			}
			return err
		}
		return r.mismatch("object")
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(p.typ))
	}
	var entry mapEntry
	more, err := r.open('}')
	for more && err == nil {
		var name []byte
		var shape stringShape
		if name, shape, err = r.member(); err != nil {
			return err
		}
		if err := entry.decode(r, p, v, unquote(name, shape)); err != nil {
			return err
		}
		more, err = r.more('}')
	}
	return err
}

// mapEntry holds the key and value that go into a map next; both are used again for every entry.
type mapEntry struct{ key, value reflect.Value }

// decode reads the value at the reader's place into the map under the name.
func (e *mapEntry) decode(r *jsonReader, p *plan, v reflect.Value, name []byte) error {
	if p.typ == rawMapType {
		start := r.pos
		if err := r.skip(); err != nil {
			return underMember(err, string(name))
		}
		m, _ := reflect.TypeAssert[map[string]json.RawMessage](v)
		m[string(name)] = append(json.RawMessage(nil), r.data[start:r.pos]...)
		return nil
	}
	if e.key.IsValid() {
		e.value.SetZero()
	} else {
		e.key, e.value = reflect.New(p.typ.Key()).Elem(), reflect.New(p.elem.typ).Elem()
	}
	if err := p.elem.decode(r, p.elem, e.value); err != nil {
		return underMember(err, string(name))
	}
	e.key.SetString(string(name))
	v.SetMapIndex(e.key, e.value)
	return nil
}

// decodeStruct reads an object into a struct. Members without a field go to the extra map, or nowhere if the struct has none.
func decodeStruct(r *jsonReader, p *plan, v reflect.Value) error {
	if r.data[r.pos] != '{' {
		return r.nullOr("object")
	}
	o := p.object
	var entry mapEntry
	next := 0
	more, err := r.open('}')
	for more && err == nil {
		var name []byte
		var shape stringShape
		if name, shape, err = r.member(); err != nil {
			return err
		}
		name = unquote(name, shape)
		i := o.find(name, next)
		switch {
		case i >= 0:
			f := &o.fields[i]
			if err := f.plan.decode(r, f.plan, v.Field(f.index)); err != nil {
				return underMember(err, f.name)
			}
			next = i + 1
		case o.extra >= 0:
			m := v.Field(o.extra)
			if m.IsNil() {
				m.Set(reflect.MakeMap(o.rest.typ))
			}
			if err := entry.decode(r, o.rest, m, name); err != nil {
				return err
			}
		default:
			if err := r.skip(); err != nil {
				return underMember(err, string(name))
			}
		}
		more, err = r.more('}')
	}
	return err
}

// find gives the index of the member's field, -1 if there is none. Objects mostly come in the order of the schema, so
// the field after the last one is tried first.
func (o *structPlan) find(name []byte, next int) int {
	if next < len(o.fields) && o.fields[next].name == string(name) {
		return next
	}
	if i, ok := o.byName[string(name)]; ok {
		return i
	}
	if o.byFold != nil {
		if i, ok := o.byFold[fold(string(name))]; ok {
			return i
		}
	}
	return -1
}
