package wire

// Nullable is a member that may be absent, null, or have a value. Its zero value is absent: a field of this type with
// the json option omitzero is left out then. As a part of something that cannot be left out, absent is written as null.
type Nullable[T any] struct {
	value T
	state state
}

type state uint8

const (
	isAbsent state = iota
	isNull
	isValue
)

// Value gives a Nullable with a value.
func Value[T any](v T) Nullable[T] { return Nullable[T]{value: v, state: isValue} }

// Null gives a Nullable that is written as null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: isNull} }

// Get gives the value, and whether there is one.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == isValue }

// IsNull reports whether it is an explicit null.
func (n Nullable[T]) IsNull() bool { return n.state == isNull }

// IsZero reports whether it is absent.
func (n Nullable[T]) IsZero() bool { return n.state == isAbsent }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return Marshal(&n) }

// UnmarshalJSON reads a value or null; afterwards it is no longer absent.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error { return Unmarshal(data, n) }

// nullable is how the codec reaches into a Nullable of any type.
type nullable interface {
	wireTarget(null bool) any // pointer to where the value goes
	wireValue() any           // pointer to the value, nil when there is none
}

func (n *Nullable[T]) wireTarget(null bool) any {
	if null {
		var none T
		n.value, n.state = none, isNull
		return nil
	}
	n.state = isValue
	return &n.value
}

func (n *Nullable[T]) wireValue() any {
	if n.state != isValue {
		return nil
	}
	return &n.value
}
