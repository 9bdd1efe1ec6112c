package plan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// share makes one Go type of inline schemas of a service that say the same, word for word: the one with the shortest
// name is declared, the others become other names of it. Every place keeps the name that it has by itself, so that
// nothing is renamed when another place becomes equal or stops being so. Schemas of components have been shared by their
// author where that was meant, and are left alone.
func (b *builder) share() {
	s := &sharing{types: map[string]*named{}, done: map[*Type]string{}, literals: map[string]string{}, held: b.heldDocs}
	for _, d := range b.order {
		s.types[d.typ.Name] = d
		for _, v := range d.typ.Values {
			s.literals[v.GoName] = v.Literal
		}
	}
	groups := map[string][]*Type{}
	for _, t := range b.plan.Types {
		d := b.byName[t.Name]
		scope := b.scopeOf(t)
		if d == nil || scope == "" || !sharable(d) {
			continue
		}
		key := scope + " " + s.digest(d)
		groups[key] = append(groups[key], t)
	}
	declared := map[string]string{}
	for _, group := range groups {
		first := slices.MinFunc(group, func(x, y *Type) int {
			return cmp.Or(cmp.Compare(len(x.Name), len(y.Name)), strings.Compare(x.Name, y.Name))
		})
		for _, t := range group {
			if t != first {
				declared[t.Name] = first.Name
				becomeAlias(t, first)
			}
		}
	}
	for m := range b.plan.Methods() {
		for _, e := range m.Errors {
			if name := declared[e.Type]; name != "" {
				e.Type = name
			}
		}
	}
}

// scopeOf is the service whose operation a type was written in; "" for the types of components.
func (b *builder) scopeOf(t *Type) string {
	parts := strings.SplitN(t.Pointer, "/", 5) // "", paths, path, method, rest
	if len(parts) < 5 || parts[1] != "paths" {
		return ""
	}
	if b.scopes == nil {
		b.scopes = map[string]string{}
		for _, o := range b.ops {
			if o.service != nil {
				b.scopes[o.Pointer] = o.service.TypeName
			}
		}
	}
	return b.scopes[strings.Join(parts[:4], "/")]
}

func sharable(d *named) bool {
	return !d.component && !d.multipart && (d.typ.Kind == Struct || d.typ.Kind == Enum || d.typ.Kind == Union)
}

// becomeAlias makes a type another name of first. The constants and constructors of its own name stay.
func becomeAlias(t, first *Type) {
	t.Kind, t.Base = Alias, first.Name
	t.Doc = t.Name + " is [" + first.Name + "]: the document says the same in both places."
	t.Deprecated, t.Fields, t.Extra, t.ExtraName, t.Secret = "", nil, "", "", false
	if t.IsError {
		t.IsError, first.ErrorText = false, "API error"
	}
}

// sharing works out what types say.
type sharing struct {
	types    map[string]*named
	done     map[*Type]string
	literals map[string]string
	held     map[*Type]bool
}

// digest stands for everything that a type says but its name. Two types with one digest are the same.
func (s *sharing) digest(d *named) string {
	t := d.typ
	if sum, ok := s.done[t]; ok {
		return sum
	}
	s.done[t] = t.Name // within itself
	doc := strings.ReplaceAll(t.Doc, t.Name, "")
	if s.held[t] {
		doc = ""
	}
	h := sha256.New()
	write := func(parts ...any) {
		_, _ = fmt.Fprintf(h, "%q\n", parts)
	}
	write(t.Kind, doc, t.Deprecated, s.expr(t.Base), s.expr(t.Extra), t.ExtraName, t.Discriminator, t.Secret, t.IsError)
	for _, f := range t.Fields {
		constant := f.Const
		if text, ok := s.literals[constant]; ok {
			constant = text
		}
		write(f.JSON, f.GoName, s.expr(f.Type), f.Omit, f.Doc, f.Deprecated, f.Required, f.Nullable, f.ReadOnly, f.WriteOnly, f.Secret, constant, f.File)
	}
	for _, v := range t.Values {
		write(strings.TrimPrefix(v.GoName, t.Name), v.Literal, v.Doc)
	}
	for _, v := range t.Variants {
		write(v.GoName, s.expr(v.Type), v.Pointer, v.JSON, v.Tags, v.TagField, s.expr(v.TagFieldType), v.Required, v.Known, v.Consts, v.Doc)
	}
	s.done[t] = string(h.Sum(nil))
	return s.done[t]
}

// expr puts the digests of inline types in the place of their names.
func (s *sharing) expr(expr string) string {
	var out strings.Builder
	for expr != "" {
		i := strings.IndexFunc(expr, isNameRune)
		if i < 0 {
			break
		}
		out.WriteString(expr[:i])
		expr = expr[i:]
		end := strings.IndexFunc(expr, func(r rune) bool { return !isNameRune(r) })
		if end < 0 {
			end = len(expr)
		}
		name := expr[:end]
		expr = expr[end:]
		if d := s.types[name]; d != nil && sharable(d) {
			name = s.digest(d)
		}
		out.WriteString(name)
	}
	return out.String() + expr
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
