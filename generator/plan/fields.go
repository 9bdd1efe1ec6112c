package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// methodsOfTypes are methods that printed types have, or get when a member of theirs becomes a secret; a field must not
// take their names.
var methodsOfTypes = []string{"MarshalJSON", "UnmarshalJSON", "String", "GoString"}

// fields fills in the members of a struct, in alphabetical order of their names on the wire.
func (b *builder) fields(d *named) {
	t, n := d.typ, d.node
	s := newScope(methodsOfTypes...)
	if d.isError {
		s.take("Error")
	}
	extra := n.Get("additionalProperties")
	switch {
	case extra.IsFalse():
	case extra.IsObject():
		t.ExtraName, t.Extra = "AdditionalProperties", b.element(extra, 0)
	default:
		t.ExtraName, t.Extra = "ExtraFields", rawType
	}
	required := map[string]bool{}
	for _, r := range n.Get("required").List() {
		required[r.Value] = true
	}
	members := slices.Clone(n.Get("properties").All())
	slices.SortFunc(members, func(x, y spec.Member) int { return strings.Compare(x.Key, y.Key) })
	for _, m := range members {
		t.Fields = append(t.Fields, b.field(d, s, m, required[m.Key]))
	}
	if t.Extra != "" {
		t.ExtraName = s.take(t.ExtraName, "Other"+t.ExtraName)
	}
}

func (b *builder) field(d *named, s *scope, m spec.Member, required bool) *Field {
	n := m.Value
	target := n.Deref()
	pointer := d.typ.Pointer + "/properties/" + spec.EscapePointer(m.Key)
	name := b.override(pointer)
	if name == "" {
		name = exported(m.Key, "Field")
	}
	f := &Field{
		JSON: m.Key, GoName: s.take(name, fieldAlternative(name)), Required: required,
		Doc: fieldDoc(n), Deprecated: deprecation(n),
		ReadOnly:  n.Flag("readOnly") || target.Flag("readOnly"),
		WriteOnly: n.Flag("writeOnly") || target.Flag("writeOnly"),
		Secret:    isSecret(m.Key, target),
		Example:   shown(maxShownValue, n, target),
	}
	b.note(pointer, "field", d.typ.Name+"."+f.GoName)
	if d.multipart {
		if expr := fileType(n); expr != "" {
			f.Type, f.File = expr, true
			if !required {
				f.Omit = "omitempty"
			}
			return f
		}
	}
	g := b.typeOf(n)
	b.hold(d, f, n, g)
	f.Nullable = g.nullable && g.shape != anyShape
	f.Type, f.Omit = fieldType(g, required)
	b.constant(d, f, n, g, required)
	return f
}

// fieldType applies the rules for what is optional and what may be null.
func fieldType(g goType, required bool) (expr, omit string) {
	bare := g.shape == sliceShape || g.shape == mapShape
	switch {
	case g.shape == anyShape && required:
		return g.expr, ""
	case g.shape == anyShape:
		return g.expr, "omitempty"
	case required && !g.nullable, required && bare:
		return g.expr, ""
	case required:
		return "*" + g.expr, ""
	case g.nullable:
		return "wire.Nullable[" + g.expr + "]", "omitzero"
	case bare:
		return g.expr, "omitzero"
	default:
		return "*" + g.expr, "omitempty"
	}
}

// fieldAlternative names a field whose name is taken by a method.
func fieldAlternative(name string) string {
	if name == "Error" {
		return "Err"
	}
	return name + "Value"
}

// constant sets what a member is sent as by itself: its only value, or the value that a discriminator maps to the schema.
func (b *builder) constant(d *named, f *Field, n *spec.Node, g goType, required bool) {
	var value string
	switch one := single(n); {
	case one != nil && isConst(n, required):
		value = one.Value
	case g.nullable || n.Deref().Str("type") != "string":
		return
	default:
		value = b.doc.Tags[d.node][f.JSON]
		if value == "" {
			return
		}
	}
	if g.shape == anyShape || g.shape == structShape || g.shape == unionShape || strings.Contains(f.Type, "Nullable[") {
		return
	}
	f.Type = g.expr
	if !required {
		f.Omit = "omitempty"
	}
	if g.named != nil && g.named.shape == enumShape {
		f.Const = value // becomes the constant's name once constants are named
		b.constFields = append(b.constFields, constField{f, g.named})
		return
	}
	f.Const = literal(n.Deref(), value)
}

// constField is a field whose constant is the value of a named enum.
type constField struct {
	field *Field
	enum  *named
}

// resolveConstants puts the names of constants where the values stand.
func (b *builder) resolveConstants() {
	for _, c := range b.constFields {
		want := literal(c.enum.node, c.field.Const)
		expr := c.enum.typ.Name + "(" + want + ")"
		for _, v := range c.enum.typ.Values {
			if v.Literal == want {
				expr = v.GoName
			}
		}
		c.field.Const = expr
	}
}

func literal(n *spec.Node, value string) string {
	switch n.Str("type") {
	case "integer", "number":
		return numberLiteral(value, enumBase(n))
	case "boolean":
		return value
	}
	return strconv.Quote(value)
}

// fileType gives the type of a part that is a file, "" for other parts.
func fileType(n *spec.Node) string {
	if isBinary(n) {
		return "*wire.File"
	}
	if t := n.Deref(); t.Str("type") == "array" && isBinary(t.Get("items")) {
		return "[]*wire.File"
	}
	return ""
}

var secretWords = map[string]bool{
	"password": true, "passwd": true, "passphrase": true, "secret": true, "cvv": true, "cvc": true, "pan": true,
}

// isSecret tells members that must not be printed or become part of a key.
func isSecret(name string, n *spec.Node) bool {
	if n.Str("type") != "string" {
		return false
	}
	if n.Str("format") == "password" || n.Flag("x-sensitive") || n.Flag("x-secret") {
		return true
	}
	list := words(strings.ToLower(strings.Join(words(name), " ")))
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	joined := strings.Join(list, "")
	if secretWords[last] || joined == "cardnumber" || strings.HasSuffix(joined, "securitycode") && n.Flag("writeOnly") {
		return true
	}
	switch {
	case strings.HasSuffix(joined, "accesstoken"), strings.HasSuffix(joined, "refreshtoken"), strings.HasSuffix(joined, "apikey"),
		strings.HasSuffix(joined, "privatekey"), strings.HasSuffix(joined, "secretkey"), strings.HasSuffix(joined, "clientsecret"):
		return true
	}
	return last == "token" && n.Flag("writeOnly")
}
