package models

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// declaration is one type as the templates print it.
type declaration struct {
	Name, Comment, Kind, Base   string
	IsAlias                     bool
	Fields                      []field
	Values                      []value
	Variants                    []variant
	Codec, Raw, Masked, IsError bool
	ErrorText                   string
}

type field struct{ Comment, GoName, Type, Tag string }

type value struct{ Comment, GoName, Literal string }

type variant struct{ GoName, Type, Result, Article, Case, Fill string }

func newDeclaration(t *plan.Type, literals map[string]string) *declaration {
	d := &declaration{
		Name: t.Name, Kind: string(t.Kind), Base: t.Base, IsError: t.IsError, ErrorText: cmp.Or(t.ErrorText, t.Name),
		Comment: Comment(t.Doc, t.Deprecated, ""),
		IsAlias: t.Kind == plan.Alias || t.Kind == plan.Define && !t.IsError && hasMethods(t.Base),
	}
	d.Raw = !d.IsAlias && t.Kind == plan.Define && t.Base == "json.RawMessage"
	for _, f := range t.Fields {
		tag := tagOf(f, literals)
		d.Codec = d.Codec || strings.Contains(tag, "const=") || !jsonName(f.JSON)
		d.Masked = d.Masked || f.Secret || f.WriteOnly
		d.Fields = append(d.Fields, field{Comment(f.Doc, f.Deprecated, "\t"), f.GoName, f.Type, tag})
	}
	if t.Kind == plan.Struct && t.Extra != "" {
		d.Codec = true
		doc := t.ExtraName + " holds the members that have no field of their own."
		d.Fields = append(d.Fields, field{Comment(doc, "", "\t"), t.ExtraName, "map[string]" + t.Extra, TagLiteral(`json:"-" wire:"extra"`)})
	}
	for _, v := range t.Values {
		d.Values = append(d.Values, value{Comment(v.Doc, "", "\t"), v.GoName, v.Literal})
	}
	for _, v := range t.Variants {
		d.Variants = append(d.Variants, newVariant(t, v))
	}
	d.Masked = d.Masked || t.Secret && !d.IsAlias && t.Kind != plan.Union
	return d
}

// hasMethods tells the base types whose JSON form comes from methods, which a type defined on them would lose.
func hasMethods(base string) bool {
	return slices.Contains([]string{"time.Time", "wire.Date", "json.RawMessage", "*wire.File", "io.Reader"}, base) ||
		strings.HasPrefix(base, "wire.Nullable[")
}

func tagOf(f *plan.Field, literals map[string]string) string {
	name := f.JSON
	var wire []string
	if !jsonName(name) {
		wire = append(wire, "name="+url.QueryEscape(name))
		name = ""
	}
	if f.Omit != "" {
		name += "," + f.Omit
	}
	if f.ReadOnly {
		wire = append(wire, "readonly")
	}
	if f.WriteOnly {
		wire = append(wire, "writeonly")
	} else if f.Secret {
		wire = append(wire, "secret")
	}
	if f.Const != "" {
		if text, ok := constText(f.Const, literals); ok {
			wire = append(wire, "const="+text) // the last: its text may hold commas
		}
	}
	var tags []string
	if name != "" {
		tags = append(tags, "json:"+strconv.Quote(name))
	}
	if wire != nil {
		tags = append(tags, "wire:"+strconv.Quote(strings.Join(wire, ",")))
	}
	return TagLiteral(strings.Join(tags, " "))
}

// TagLiteral writes a struct tag as Go source: a raw string, or a quoted one when that cannot hold it.
func TagLiteral(tag string) string {
	if CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// CanBackquote reports whether a text can stand in a raw string as a reader sees it: without a backtick, a line break or
// a character that does not show.
func CanBackquote(text string) bool {
	return strconv.CanBackquote(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// jsonName reports whether a json tag can name the member: encoding/json ignores a name with a quote, a backslash, a
// comma or a backtick, and skips a member named "-".
func jsonName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(c rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// constText is the JSON text of a Go constant expression: a literal or the name of an enum constant.
func constText(expr string, literals map[string]string) (string, bool) {
	if literal, ok := literals[expr]; ok {
		expr = literal
	}
	if s, err := strconv.Unquote(expr); err == nil {
		text, err := json.Marshal(s)
		return string(text), err == nil
	}
	return expr, json.Valid([]byte(expr))
}

func enumLiterals(types []*plan.Type) map[string]string {
	literals := map[string]string{}
	for _, t := range types {
		for _, v := range t.Values {
			literals[v.GoName] = v.Literal
		}
	}
	return literals
}

func newVariant(t *plan.Type, v *plan.Variant) variant {
	out := variant{GoName: v.GoName, Type: v.Type, Result: v.Type, Article: article(v.GoName)}
	if v.Pointer {
		out.Result = "*" + v.Type
	}
	if v.TagField != "" && len(v.Tags) > 0 {
		tag := strconv.Quote(v.Tags[0])
		switch v.TagFieldType {
		case "*string":
			out.Fill = fmt.Sprintf("if v.%s == nil {\n\t\ttag := %s\n\t\tv.%s = &tag\n\t}", v.TagField, tag, v.TagField)
		default:
			if base, ok := strings.CutPrefix(v.TagFieldType, "*"); ok {
				out.Fill = fmt.Sprintf("if v.%s == nil {\n\t\ttag := %s(%s)\n\t\tv.%s = &tag\n\t}", v.TagField, base, tag, v.TagField)
				break
			}
			out.Fill = fmt.Sprintf("if v.%s == \"\" {\n\t\tv.%s = %s\n\t}", v.TagField, v.TagField, tag)
		}
	}
	out.Case = Case(t.Discriminator, v)
	return out
}

// Case is the composite literal by which the runtime knows a variant; discriminator is the member that names it, "" when
// the shape tells.
func Case(discriminator string, v *plan.Variant) string {
	var parts []string
	add := func(name, text string) { parts = append(parts, name+": "+text) }
	add("Kind", strconv.Quote(v.JSON))
	if discriminator != "" && len(v.Tags) > 0 {
		add("Tag", strconv.Quote(discriminator))
		add("Tags", stringSlice(v.Tags))
	}
	if len(v.Required) > 0 {
		add("Required", stringSlice(v.Required))
	}
	if len(v.Known) > 0 && discriminator == "" {
		add("Known", stringSlice(v.Known))
	}
	if len(v.Consts) > 0 && discriminator == "" {
		names := make([]string, 0, len(v.Consts))
		for name := range v.Consts {
			names = append(names, name)
		}
		sort.Strings(names)
		for i, name := range names {
			names[i] = strconv.Quote(name) + ": " + stringSlice(v.Consts[name])[len("[]string"):]
		}
		add("Consts", "map[string][]string{"+strings.Join(names, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func stringSlice(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}

func article(name string) string {
	if strings.ContainsRune("AEIO", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
