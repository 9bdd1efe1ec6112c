package wire

import (
	"reflect"
	"strings"
	"unicode"
)

// validName reports whether encoding/json takes the name in a json tag; else it uses the name of the field.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}

// fold gives one text for all names that differ only in case, by Unicode's simple folding.
func fold(name string) string {
	return strings.Map(func(c rune) rune {
		for { // the smallest of the cycle of equal letters
			next := unicode.SimpleFold(c)
			if next <= c {
				return next
			}
			c = next
		}
	}, name)
}

type zeroer interface{ IsZero() bool }

// zeroFunc says when omitzero leaves a value of the type out: by its IsZero method, else when it is Go's zero value.
func zeroFunc(t reflect.Type) func(reflect.Value) bool {
	own := reflect.TypeFor[zeroer]()
	switch {
	case t.Implements(own) && (t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer):
		return func(v reflect.Value) bool {
			if v.IsNil() || v.Kind() == reflect.Interface && v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
				return true
			}
			return callIsZero(v)
		}
	case t.Implements(own):
		return func(v reflect.Value) bool {
			if v.CanAddr() {
				v = v.Addr()
			}
			return callIsZero(v)
		}
	case reflect.PointerTo(t).Implements(own):
		return func(v reflect.Value) bool { return callIsZero(addressable(v).Addr()) }
	}
	return reflect.Value.IsZero
}

func callIsZero(v reflect.Value) bool {
	z, ok := reflect.TypeAssert[zeroer](v)
	return ok && z.IsZero()
}

// addressable gives v itself or a copy that has an address.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// isEmpty is encoding/json's rule for omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
