package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
)

// selectPath follows Go field names through structs and pointers; the zero Value says that a pointer on the way is nil.
func selectPath(v reflect.Value, path []string) reflect.Value {
	v = indirect(v)
	for _, name := range path {
		if v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = indirect(v.FieldByName(name))
	}
	return v
}

func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

func length(v reflect.Value) int {
	if v.Kind() == reflect.Slice {
		return v.Len()
	}
	return 0
}

// text is a scalar as it would stand in a URL; "" for null, absent and everything that is no scalar.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	default:
	}
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	if bytes.ContainsAny(data[:1], "{[n") {
		return ""
	}
	return string(data)
}

var errField = errors.New("the field for the next page takes no such value")

// assign sets a field of any scalar type, named, optional or nullable, from its text.
func assign(field reflect.Value, value string) error {
	if !field.CanSet() {
		return errField
	}
	quoted, err := json.Marshal(value)
	if err != nil {
		return err
	}
	target := field.Addr().Interface()
	if json.Unmarshal(quoted, target) == nil || json.Unmarshal([]byte(value), target) == nil {
		return nil
	}
	return errField
}
