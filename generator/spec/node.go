package spec

import (
	"slices"
	"strconv"
	"strings"
)

// Kind says what a [Node] holds.
type Kind uint8

// The kinds of nodes. A JSON document and a YAML document of the same content give the same kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind in the words of the JSON specification.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Node is one value of a document. The zero Node is a null without a place.
type Node struct {
	Kind Kind
	// Stamp is the number of the last walk over the tree that came by, for the walker's own use.
	Stamp uint32
	// Value is the text of a scalar: numbers and booleans as they were written, strings without quotes.
	Value string
	// Items are the elements of an array.
	Items []*Node
	// Members are the members of an object in the order of the document.
	Members []Member

	// Ref is the text of $ref when the object is a reference; Target is what it points to, nil when it dangles.
	Ref    string
	Target *Node

	file  *File
	line  int32
	col   int32
	index map[string]int
}

// Member is one name and value of an object.
type Member struct {
	Key   string
	Value *Node
	line  int32
	col   int32
}

// File is one source file of a document.
type File struct {
	// Name is the file as the user named it, for messages.
	Name string
	// Location is the absolute path or the URL that relative references start from.
	Location string
	// Root is the tree of the file.
	Root *Node
	// pointers of nodes that were asked for, by text
	resolved map[string]*Node
	anchors  map[string]*Node
}

const indexFrom = 12

// Get returns the member of that name, nil when n is not an object or has none. It is safe on a nil Node.
func (n *Node) Get(key string) *Node {
	if i := n.find(key); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

func (n *Node) find(key string) int {
	if n == nil || n.Kind != Object {
		return -1
	}
	if len(n.Members) < indexFrom {
		for i := range n.Members {
			if n.Members[i].Key == key {
				return i
			}
		}
		return -1
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.Members))
		for i := range n.Members {
			n.index[n.Members[i].Key] = i
		}
	}
	if i, ok := n.index[key]; ok {
		return i
	}
	return -1
}

// At walks down by names and returns nil where the way ends.
func (n *Node) At(path ...string) *Node {
	for _, key := range path {
		n = n.Get(key)
	}
	return n
}

// Has reports whether n is an object with that member.
func (n *Node) Has(key string) bool { return n.find(key) >= 0 }

// All returns the members; it is safe on a nil Node.
func (n *Node) All() []Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// Set puts a member: in place when the name is there, else at the end.
func (n *Node) Set(key string, value *Node) {
	if i := n.find(key); i >= 0 {
		n.Members[i].Value = value
		return
	}
	n.Members = append(n.Members, Member{Key: key, Value: value})
	if n.index != nil {
		n.index[key] = len(n.Members) - 1
	}
}

// Delete removes a member.
func (n *Node) Delete(key string) {
	i := n.find(key)
	if i < 0 {
		return
	}
	members := make([]Member, 0, len(n.Members)-1)
	members = append(members, n.Members[:i]...)
	n.Members = append(members, n.Members[i+1:]...)
	n.index = nil
}

// Sort puts the members of an object in order.
func (n *Node) Sort(compare func(a, b Member) int) {
	slices.SortStableFunc(n.Members, compare)
	n.index = nil
}

// Become makes n hold what other holds and keeps its identity and place, so that references to n stay right.
func (n *Node) Become(other *Node) {
	n.Kind, n.Value, n.Items = other.Kind, other.Value, other.Items
	n.Members = append([]Member(nil), other.Members...)
	n.Ref, n.Target = other.Ref, other.Target
	n.index = nil
}

// Text returns the text of a string, and of another scalar as it was written; "" otherwise.
func (n *Node) Text() string {
	if n == nil || n.Kind == Array || n.Kind == Object || n.Kind == Null {
		return ""
	}
	return n.Value
}

// Str returns the text of the named member, see [Node.Text].
func (n *Node) Str(key string) string { return n.Get(key).Text() }

// IsTrue reports whether n is the boolean true.
func (n *Node) IsTrue() bool { return n != nil && n.Kind == Bool && n.Value == "true" }

// IsFalse reports whether n is the boolean false.
func (n *Node) IsFalse() bool { return n != nil && n.Kind == Bool && n.Value == "false" }

// Flag reports whether the named member is the boolean true.
func (n *Node) Flag(key string) bool { return n.Get(key).IsTrue() }

// List returns the items; it is safe on a nil Node.
func (n *Node) List() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// Int returns the number as an integer.
func (n *Node) Int() (int, bool) {
	if n == nil || (n.Kind != Number && n.Kind != String) {
		return 0, false
	}
	if i, err := strconv.Atoi(n.Value); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}

// IsObject reports whether n is an object. It is safe on a nil Node, as the other questions are.
func (n *Node) IsObject() bool { return n != nil && n.Kind == Object }

// IsArray reports whether n is an array.
func (n *Node) IsArray() bool { return n != nil && n.Kind == Array }

// IsRef reports whether n is a reference object.
func (n *Node) IsRef() bool { return n != nil && n.Ref != "" }

// Deref follows references to what they mean; nil when the last one dangles. Cycles were cut when they were linked.
func (n *Node) Deref() *Node {
	for n != nil && n.Ref != "" {
		n = n.Target
	}
	return n
}

// Pos returns the place of n.
func (n *Node) Pos() Position {
	if n == nil {
		return Position{}
	}
	p := Position{Line: int(n.line), Col: int(n.col)}
	if n.file != nil {
		p.File = n.file.Name
	}
	return p
}

// KeyPos returns the place of a member's name, that of n when it is not known.
func (n *Node) KeyPos(key string) Position {
	p := n.Pos()
	if i := n.find(key); i >= 0 && n.Members[i].line > 0 {
		p.Line, p.Col = int(n.Members[i].line), int(n.Members[i].col)
	}
	return p
}

// at keeps a line or a column in 32 bits; a file has at most MaxBytes of each.
func at(place int) int32 {
	return int32(min(place, MaxBytes)) //nolint:gosec // MaxBytes fits
}

func (n *Node) placeKey(line, col int) {
	m := &n.Members[len(n.Members)-1]
	m.line, m.col = at(line), at(col)
}

// File returns the file that n was read from, nil for one that was made.
func (n *Node) File() *File {
	if n == nil {
		return nil
	}
	return n.file
}

// NewString returns a string that stands where at stands.
func NewString(at *Node, value string) *Node { return scalar(at, String, value) }

// NewBool returns a boolean that stands where at stands.
func NewBool(at *Node, value bool) *Node { return scalar(at, Bool, strconv.FormatBool(value)) }

// NewNull returns a null that stands where at stands.
func NewNull(at *Node) *Node { return scalar(at, Null, "") }

// NewNumber returns a number that stands where at stands.
func NewNumber(at *Node, value string) *Node { return scalar(at, Number, value) }

// NewObject returns an object that stands where at stands.
func NewObject(at *Node, members ...Member) *Node {
	n := scalar(at, Object, "")
	n.Members = members
	return n
}

// NewArray returns an array that stands where at stands.
func NewArray(at *Node, items ...*Node) *Node {
	n := scalar(at, Array, "")
	n.Items = items
	return n
}

// NewRef returns a reference to target that stands where at stands.
func NewRef(at, target *Node, text string) *Node {
	n := NewObject(at, Member{Key: "$ref", Value: NewString(at, text)})
	n.Ref, n.Target = text, target
	return n
}

// Copy returns a shallow copy of n with the same place: the children are shared.
func (n *Node) Copy() *Node {
	c := *n
	c.index = nil
	c.Members = append([]Member(nil), n.Members...)
	c.Items = append([]*Node(nil), n.Items...)
	return &c
}

func scalar(at *Node, kind Kind, value string) *Node {
	n := &Node{Kind: kind, Value: value}
	if at != nil {
		n.file, n.line, n.col = at.file, at.line, at.col
	}
	return n
}

// Equal reports whether two nodes hold the same value; the order of object members does not matter, and references are
// equal when they point to the same node.
func Equal(a, b *Node) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil || a.Kind != b.Kind:
		return false
	case a.Ref != "" || b.Ref != "":
		if a.Ref == "" || b.Ref == "" || a.Target == nil || a.Target != b.Target {
			return false
		}
	}
	switch a.Kind {
	case Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items {
			if !Equal(a.Items[i], b.Items[i]) {
				return false
			}
		}
		return true
	case Object:
		if len(a.Members) != len(b.Members) {
			return false
		}
		for _, m := range a.Members {
			other := b.Get(m.Key)
			if other == nil || m.Key != "$ref" && !Equal(m.Value, other) {
				return false
			}
		}
		return true
	case Null:
		return true
	case Bool, Number, String:
		return a.Value == b.Value
	}
	return false
}

// EscapePointer encodes one name for a JSON pointer (RFC 6901 section 3).
func EscapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
