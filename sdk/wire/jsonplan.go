package wire

import (
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"
)

// plan says how values of one Go type are read and written. Plans are made once per type and never change.
type plan struct {
	typ    reflect.Type
	elem   *plan       // of pointers, slices, arrays, maps and Nullable
	object *structPlan // of structs whose fields this package handles itself
	why    string      // of structs without object: what is not supported
	decode func(*jsonReader, *plan, reflect.Value) error
	encode func(*jsonWriter, *plan, reflect.Value) error
}

// structPlan is the plan of a struct's members.
type structPlan struct {
	fields []field
	byName map[string]int
	byFold map[string]int // only of structs without extra: encoding/json ignores the case of names
	extra  int            // index of the field with unknown members, -1 if there is none
	rest   *plan          // of that field's type
	marked bool           // some field has a wire tag: the struct's own JSON methods lead here
}

// field is the plan of one member.
type field struct {
	name      string
	key       string // "name": as it is written
	index     int
	plan      *plan
	omitEmpty bool
	omitZero  bool
	isZero    func(reflect.Value) bool
	constant  string // JSON text written for the zero value
	readOnly  bool
}

// The plans that were made so far, by type, and the lock under which they are made.
var (
	plans    sync.Map // reflect.Type to *plan
	planLock sync.Mutex
)

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	marshalerType       = reflect.TypeFor[json.Marshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	requestMarshaler    = reflect.TypeFor[interface{ MarshalRequest() ([]byte, error) }]()
	nullableType        = reflect.TypeFor[nullable]()
	timeType            = reflect.TypeFor[time.Time]()
	numberType          = reflect.TypeFor[json.Number]()
	rawType             = reflect.TypeFor[json.RawMessage]()
	rawMapType          = reflect.TypeFor[map[string]json.RawMessage]()
)

// planOf gives the plan of a type.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan) //nolint:forcetypeassert // the map holds nothing else
	}
	planLock.Lock()
	defer planLock.Unlock()
	made := map[reflect.Type]*plan{}
	p := makePlan(t, made)
	for t, p := range made { // only complete plans are seen by others
		plans.Store(t, p)
	}
	return p
}

// makePlan makes the plan of a type; made holds those under way, so that recursive types end.
func makePlan(t reflect.Type, made map[reflect.Type]*plan) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan) //nolint:forcetypeassert // the map holds nothing else
	}
	if p, ok := made[t]; ok {
		return p
	}
	p := &plan{typ: t}
	made[t] = p
	if t.Kind() == reflect.Struct {
		p.object, p.why = makeObject(t, made)
	}
	switch {
	case t == timeType:
		p.decode, p.encode = decodeTime, encodeTime
		return p
	case t == rawType:
		p.decode, p.encode = decodeRaw, encodeRaw
		return p
	case reflect.PointerTo(t).Implements(nullableType):
		p.elem = makePlan(t.Field(0).Type, made)
		p.decode, p.encode = decodeNullable, encodeNullable
		return p
	case p.object != nil && p.object.marked:
		p.decode, p.encode = decodeStruct, encodeStruct
		return p
	}
	p.decode, p.encode = byKind(p, made)
	p.decode = ownDecode(t, p.decode)
	p.encode = ownEncode(t, p.encode)
	return p
}

type (
	decodeFunc = func(*jsonReader, *plan, reflect.Value) error
	encodeFunc = func(*jsonWriter, *plan, reflect.Value) error
)

// byKind picks the functions of types without methods of their own. What is not handled here is left to encoding/json.
func byKind(p *plan, made map[reflect.Type]*plan) (decodeFunc, encodeFunc) {
	t := p.typ
	switch t.Kind() {
	case reflect.Bool:
		return decodeBool, encodeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return decodeInt, encodeInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return decodeUint, encodeUint
	case reflect.Float32, reflect.Float64:
		return decodeFloat, encodeFloat
	case reflect.String:
		if t == numberType {
			return decodeNumber, encodeNumber
		}
		return decodeString, encodeString
	case reflect.Interface:
		return decodeForeign, encodeInterface
	case reflect.Pointer:
		p.elem = makePlan(t.Elem(), made)
		return decodePointer, encodePointer
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if t.Elem() == reflect.TypeFor[byte]() {
				return decodeBytes, encodeBytes
			}
			break
		}
		p.elem = makePlan(t.Elem(), made)
		return decodeSlice, encodeSlice
	case reflect.Array:
		p.elem = makePlan(t.Elem(), made)
		return decodeArray, encodeArray
	case reflect.Map:
		if k := t.Key(); k.Kind() == reflect.String && !has(k, textUnmarshalerType) && !has(k, textMarshalerType) {
			p.elem = makePlan(t.Elem(), made)
			return decodeMap, encodeMap
		}
	case reflect.Struct:
		if p.object != nil {
			return decodeStruct, encodeStruct
		}
	default:
	}
	return decodeForeign, encodeForeign
}

// has reports whether values of t or pointers to them have the methods.
func has(t, methods reflect.Type) bool {
	return t.Implements(methods) || reflect.PointerTo(t).Implements(methods)
}

// makeObject makes the plan of a struct's members. Structs that embed others or use the string option are left to
// encoding/json, whose rules for them are long; why says so.
func makeObject(t reflect.Type, made map[reflect.Type]*plan) (o *structPlan, why string) {
	o = &structPlan{extra: -1, byName: map[string]int{}}
	for i := range t.NumField() {
		f := t.Field(i)
		w := parseWireTag(f.Tag.Get("wire"))
		if w != (wireTag{}) {
			o.marked = true
		}
		if w.extra {
			if f.Type.Kind() != reflect.Map || f.Type.Key().Kind() != reflect.String {
				return nil, "field " + f.Name + " for unknown members is not a map with string keys"
			}
			o.extra, o.rest = i, makePlan(f.Type, made)
			continue
		}
		tag := f.Tag.Get("json")
		if f.Anonymous {
			return nil, "it embeds " + f.Name
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if hasOption(options, "string") {
			return nil, "field " + f.Name + " has the string option"
		}
		if w.named {
			name = w.name
		} else if name == "" || !validName(name) {
			name = f.Name
		}
		if _, twice := o.byName[name]; twice {
			return nil, "two fields are named " + name
		}
		o.byName[name] = len(o.fields)
		o.fields = append(o.fields, field{
			name:      name,
			key:       string(append(appendString(nil, name), ':')),
			index:     i,
			plan:      makePlan(f.Type, made),
			omitEmpty: hasOption(options, "omitempty"),
			omitZero:  hasOption(options, "omitzero"),
			isZero:    zeroFunc(f.Type),
			constant:  w.constant,
			readOnly:  w.readOnly,
		})
	}
	if o.extra < 0 {
		o.byFold = map[string]int{}
		for i := range o.fields {
			if folded := fold(o.fields[i].name); !contains(o.byFold, folded) {
				o.byFold[folded] = i
			}
		}
	}
	return o, ""
}

func contains(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}

// wireTag is what a field's wire tag says.
type wireTag struct {
	extra, readOnly, secret bool
	named                   bool
	name                    string // of a member that a json tag cannot name
	constant                string // JSON text
}

// parseWireTag reads a wire tag: words after commas; const= takes the rest, since a JSON text may hold commas.
func parseWireTag(tag string) wireTag {
	var w wireTag
	for tag != "" {
		if text, ok := strings.CutPrefix(tag, "const="); ok {
			w.constant = text
			break
		}
		var word string
		word, tag, _ = strings.Cut(tag, ",")
		if text, ok := strings.CutPrefix(word, "name="); ok {
			name, err := url.QueryUnescape(text)
			w.name, w.named = name, err == nil
			continue
		}
		switch word {
		case "extra":
			w.extra = true
		case "readonly":
			w.readOnly = true
		case "secret", "writeonly":
			w.secret = true
		}
	}
	return w
}

func hasOption(options, name string) bool {
	for options != "" {
		var o string
		o, options, _ = strings.Cut(options, ",")
		if o == name {
			return true
		}
	}
	return false
}
