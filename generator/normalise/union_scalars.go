package normalise

import (
	"slices"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// scalars joins the variants of one scalar type: a Go string is a string whatever its format. Values named one by one,
// each with a title or a description, are an enum; an enum beside any string is an enum too, since ours stay open.
func (u *union) scalars() {
	for _, typ := range []string{"string", "number", "boolean"} {
		var group []*spec.Node
		at := -1
		rest := make([]*spec.Node, 0, len(u.variants))
		for _, v := range u.variants {
			t := v.Deref().Str("type")
			if t == typ || typ == "number" && t == "integer" {
				if at < 0 {
					at = len(rest)
				}
				group = append(group, v)
			} else {
				rest = append(rest, v)
			}
		}
		if len(group) > 1 {
			u.variants = slices.Insert(rest, at, u.joinScalars(typ, group))
		}
	}
}

func (u *union) joinScalars(typ string, group []*spec.Node) *spec.Node {
	var enums []*spec.Node
	format, integer := group[0].Deref().Str("format"), true
	for _, v := range group {
		t := v.Deref()
		if t.Has("enum") {
			enums = append(enums, v)
		}
		if t.Str("format") != format {
			format = ""
		}
		integer = integer && t.Str("type") == "integer"
	}
	if integer {
		typ = "integer"
	}
	if len(enums) == 1 && typ != "boolean" {
		return enums[0]
	}
	joined := spec.NewObject(u.list, spec.Member{Key: "type", Value: spec.NewString(u.list, typ)})
	if len(enums) == 0 || typ == "boolean" {
		if format != "" {
			joined.Set("format", spec.NewString(u.list, format))
		}
		return joined
	}
	return joinEnums(joined, enums)
}

func joinEnums(joined *spec.Node, enums []*spec.Node) *spec.Node {
	var values, names, words []*spec.Node
	seen := map[string]bool{}
	named, described := false, false
	for _, e := range enums {
		t := e.Deref()
		list := t.Get("enum").List()
		varnames := t.Get("x-enum-varnames").List()
		for i, v := range list {
			if seen[v.Value] {
				continue
			}
			seen[v.Value] = true
			name, word := spec.NewString(v, ""), spec.NewString(v, "")
			if len(list) == 1 {
				if title := t.Get("title"); title != nil && e.Ref == "" {
					name, named = title, true
				}
				if d := t.Get("description"); d != nil {
					word, described = d, true
				}
			} else if i < len(varnames) {
				name, named = varnames[i], true
			}
			values, names, words = append(values, v), append(names, name), append(words, word)
		}
	}
	at := joined
	if joined.Str("type") != "string" && slices.ContainsFunc(values, func(v *spec.Node) bool { return v.Kind == spec.String }) {
		joined.Set("type", spec.NewString(at, "string"))
	}
	joined.Set("enum", spec.NewArray(at, values...))
	if named {
		joined.Set("x-enum-varnames", spec.NewArray(at, names...))
	}
	if described {
		joined.Set("x-enum-descriptions", spec.NewArray(at, words...))
	}
	return joined
}

// arrays joins variants that are lists into a list whose items are a choice: a list tells its kind by its items only.
func (u *union) arrays() {
	var group []*spec.Node
	at := -1
	rest := make([]*spec.Node, 0, len(u.variants))
	for _, v := range u.variants {
		if v.Deref().Str("type") == "array" {
			if at < 0 {
				at = len(rest)
			}
			group = append(group, v)
		} else {
			rest = append(rest, v)
		}
	}
	if len(group) < 2 {
		return
	}
	items := make([]*spec.Node, 0, len(group))
	for _, v := range group {
		items = append(items, v.Deref().Get("items"))
	}
	joined := spec.NewObject(u.list,
		spec.Member{Key: "type", Value: spec.NewString(u.list, "array")},
		spec.Member{Key: "items", Value: spec.NewObject(u.list, spec.Member{Key: "oneOf", Value: spec.NewArray(u.list, items...)})})
	u.variants = slices.Insert(rest, at, joined)
}
