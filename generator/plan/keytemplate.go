package plan

import (
	"regexp"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// failf notes a mistake in an extension of ours: it is an error, because to guess at what is safe to repeat is not safe.
func (b *builder) failf(at *spec.Node, code, format string, args ...any) {
	b.failed = append(b.failed, spec.Errorf(at.Pos(), code, format, args...).Diagnostics...)
}

// keyParts takes a template such as order-confirm-{body.order_ref} apart into literals and Go expressions.
func (b *builder) keyParts(o *operation, at *spec.Node) []KeyPart {
	var parts []KeyPart
	rest := at.Text()
	for rest != "" {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			parts = append(parts, KeyPart{Literal: before})
		}
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			b.failf(at, "x-idempotency", "the key %q has a { without a }", at.Text())
			return nil
		}
		part, why := b.keyPart(o, name)
		if why != "" {
			b.failf(at, "x-idempotency", "the key %q takes {%s}: %s", at.Text(), name, why)
			return nil
		}
		parts = append(parts, part)
		rest = tail
	}
	return parts
}

func (b *builder) keyPart(o *operation, name string) (KeyPart, string) {
	place, path, _ := strings.Cut(name, ".")
	switch place {
	case "path":
		for _, p := range o.method.PathParams {
			if p.Name == path && p.Const == "" {
				return KeyPart{Expr: p.ArgName}, ""
			}
		}
		return KeyPart{}, "the path has no parameter of that name"
	case "query", "header", "cookie":
		return paramPart(o, place, path)
	case "body":
		return b.bodyPart(o, strings.Split(path, "."))
	}
	return KeyPart{}, "a value begins with path., query., header. or body."
}

func paramPart(o *operation, in, name string) (KeyPart, string) {
	if o.method.Params == nil {
		return KeyPart{}, "the operation has no such parameter"
	}
	for _, p := range o.method.Params.Fields {
		if p.In != in || p.Name != name {
			continue
		}
		expr := "params." + p.GoName
		if strings.HasPrefix(p.Type, "*") {
			return KeyPart{Expr: "*" + expr, Guard: expr + " != nil"}, ""
		}
		return KeyPart{Expr: expr}, ""
	}
	return KeyPart{}, "the operation has no such parameter"
}

func (b *builder) bodyPart(o *operation, path []string) (KeyPart, string) {
	if len(o.method.Bodies) == 0 {
		return KeyPart{}, "the operation has no body"
	}
	expr := o.method.Bodies[0].ArgName
	typ := o.method.Bodies[0].Type
	var guards []string
	for i, name := range path {
		d := b.byName[strings.TrimPrefix(typ, "*")]
		for d != nil && d.typ.Kind == Alias {
			d = b.byName[d.typ.Base]
		}
		if d == nil || d.typ.Kind != Struct {
			return KeyPart{}, "there is no object that has the member " + name
		}
		f := fieldOf(d.typ, name)
		if f == nil {
			return KeyPart{}, "the body has no member " + strings.Join(path[:i+1], ".")
		}
		if f.Secret || f.WriteOnly {
			return KeyPart{}, "it is a secret, and keys are logged and stored"
		}
		expr += "." + f.GoName
		typ = f.Type
		if strings.HasPrefix(typ, "*") {
			guards = append(guards, expr+" != nil")
		}
	}
	switch strings.TrimPrefix(typ, "*") {
	case "string", "int64", "int32", "uint64", "bool", "time.Time", "wire.Date", "json.Number":
	default:
		base := b.byName[strings.TrimPrefix(typ, "*")]
		for base != nil && base.typ.Kind == Alias && b.byName[base.typ.Base] != nil {
			base = b.byName[base.typ.Base]
		}
		if base == nil || base.typ.Kind != Enum && !isScalarExpr(base.typ.Base) {
			return KeyPart{}, "it is not a plain value"
		}
	}
	if strings.HasPrefix(typ, "*") {
		expr = "*" + expr
	}
	return KeyPart{Expr: expr, Guard: strings.Join(guards, " && ")}, ""
}

func isScalarExpr(expr string) bool {
	switch expr {
	case "string", "int64", "int32", "uint64", "float64", "float32", "bool", "time.Time", "wire.Date", "json.Number":
		return true
	}
	return false
}

func fieldOf(t *Type, name string) *Field {
	for _, f := range t.Fields {
		if f.JSON == name {
			return f
		}
	}
	return nil
}
