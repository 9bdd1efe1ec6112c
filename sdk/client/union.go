package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Union is a value that is one of several types. Generated union types embed it; its zero value is no value and is
// written as null.
type Union struct { //nolint:recvcheck // reading sets the value, everything else takes a copy
	value any             // what UnionOf was given
	raw   json.RawMessage // what was read
	which int             // 1 + index of the case; 0 is none that is known
}

// UnionOf makes a union of the case with this index.
func UnionOf(which int, v any) Union { return Union{value: v, which: which + 1} }

// As gives the value when it is of the case with this index and reads as T.
func As[T any](u Union, which int) (T, bool) {
	var out T
	if u.which != which+1 {
		return out, false
	}
	if v, ok := u.value.(T); ok {
		return v, true
	}
	data := []byte(u.raw)
	if data == nil {
		var err error
		if data, err = wire.Marshal(u.value); err != nil {
			return out, false
		}
	}
	return out, wire.Unmarshal(data, &out) == nil
}

// Decode reads a JSON text and finds out its case.
func (u *Union) Decode(data []byte, cases []wire.Case) error {
	*u = Union{raw: bytes.Clone(data)}
	if which, ok := wire.Match(data, cases); ok {
		u.which = which + 1
	}
	return nil
}

// Raw is the JSON text of the value: the way to a case that the document does not know.
func (u Union) Raw() json.RawMessage {
	if u.raw != nil || u.value == nil {
		return u.raw
	}
	data, err := wire.Marshal(u.value)
	if err != nil {
		return nil
	}
	return data
}

// IsZero reports that there is no value.
func (u Union) IsZero() bool { return u.value == nil && u.raw == nil }

// IsKnown reports that the value is of a case that the document names.
func (u Union) IsKnown() bool { return u.which > 0 }

// MarshalJSON writes the value; what was read is written as it came.
func (u Union) MarshalJSON() ([]byte, error) {
	if u.raw != nil {
		return u.raw, nil
	}
	return wire.Marshal(u.value)
}

// MarshalRequest writes the value without its read-only members.
func (u Union) MarshalRequest() ([]byte, error) {
	if u.raw != nil {
		return u.raw, nil
	}
	return wire.MarshalRequest(u.value)
}

// String shows a value that was made here, with what is secret masked, and nothing of one that was read.
func (u Union) String() string {
	if u.value == nil {
		return fmt.Sprintf("{%d bytes of JSON}", len(u.raw))
	}
	return wire.Format(u.value)
}

// GoString is String.
func (u Union) GoString() string { return u.String() }
