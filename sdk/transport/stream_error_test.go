package transport_test

import "reflect"

// asStream fills any struct that has the fields of e, as net/http's own stream
// error does.
func asStream(e streamError, target any) bool {
	dst := reflect.ValueOf(target).Elem()
	if dst.Kind() != reflect.Struct || dst.NumField() != 3 || dst.Type().Field(1).Name != "Code" {
		return false
	}

	dst.Field(0).SetUint(uint64(e.StreamID))
	dst.Field(1).SetUint(uint64(e.Code))

	return true
}
