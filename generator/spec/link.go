package spec

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// state is how far the linking of one reference is.
type state uint8

const (
	_ state = iota
	linking
	done
)

// target is a tree whose references have yet to be linked. names says that its members carry names that the author
// chose, so that a member called example is not an example.
type target struct {
	node  *Node
	names bool
}

// nameMaps are members of OpenAPI and JSON Schema objects whose value maps names of the author's choice.
var nameMaps = set("properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "responses",
	"parameters", "requestBodies", "headers", "securitySchemes", "callbacks", "pathItems", "paths", "webhooks", "content",
	"variables", "encoding", "mediaTypes")

// values are members that hold data, in which $ref means nothing.
var values = set("example", "examples", "default", "enum", "const", "mapping", "links", "security", "required", "tags")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// link follows every reference that can be reached. Places that dangle keep a nil Target and a warning; files that are
// not there and URLs that may not be fetched are errors, all of them told at once.
func (l *loader) link() error {
	seen := map[*Node]bool{}
	for len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		l.walk(next.node, next.names, seen)
	}
	if len(l.failed) > 0 {
		return &Error{Diagnostics: l.failed}
	}
	return l.ctx.Err()
}

func (l *loader) walk(n *Node, names bool, seen map[*Node]bool) {
	if n == nil || seen[n] || l.ctx.Err() != nil {
		return
	}
	switch n.Kind {
	case Array:
		seen[n] = true
		for _, item := range n.Items {
			l.walk(item, false, seen)
		}
	case Object:
		seen[n] = true
		if !names {
			l.reference(n)
		}
		for _, m := range n.Members {
			switch {
			case names:
				l.walk(m.Value, false, seen)
			case m.Key == "discriminator":
				l.mapping(m.Value)
			case values[m.Key] || strings.HasPrefix(m.Key, "x-"):
			default:
				l.walk(m.Value, nameMaps[m.Key] && m.Value.Kind == Object, seen)
			}
		}
	case Null, Bool, Number, String:
	}
}

// mapping links the schemas that a discriminator maps to. A bare word there is the name of a component by rule.
func (l *loader) mapping(discriminator *Node) {
	for _, m := range discriminator.Get("mapping").All() {
		v := m.Value
		if v.Kind != String || v.Value == "" || l.linked[v] != 0 {
			continue
		}
		l.linked[v] = done
		v.Ref = v.Value
		if !strings.ContainsAny(v.Value, "/#") {
			v.Target = l.through(v.file, "/components/schemas/"+EscapePointer(v.Value))
		}
		if v.Target == nil {
			v.Target = l.resolve(v.file, v)
		}
		if v.Target != nil {
			l.queue = append(l.queue, target{node: v.Target})
		}
	}
}

// reference links n if it is a reference object.
func (l *loader) reference(n *Node) {
	ref := n.Get("$ref")
	if ref == nil {
		ref = n.Get("$dynamicRef")
	}
	if ref == nil || ref.Kind != String || ref.Value == "" || l.linked[n] != 0 {
		return
	}
	l.linked[n] = linking
	n.Ref = ref.Value
	t := l.resolve(n.file, ref)
	if t != nil && t.Kind == Object && l.linked[t] == 0 {
		l.reference(t)
	}
	if t != nil && l.endless(n, t) {
		l.warnf(ref.Pos(), "ref-cycle", "the reference %q leads back to itself; any value is assumed", ref.Value)
		t = nil
	}
	n.Target = t
	l.linked[n] = done
	if t != nil {
		l.queue = append(l.queue, target{node: t})
	}
}

func (l *loader) endless(n, t *Node) bool {
	for ; t != nil; t = t.Target {
		if t == n || l.linked[t] == linking {
			return true
		}
	}
	return false
}

// resolve finds what a reference in file means, nil when it dangles.
func (l *loader) resolve(file *File, ref *Node) *Node {
	if t, ok := file.resolved[ref.Value]; ok {
		return t
	}
	base, fragment, _ := strings.Cut(ref.Value, "#")
	in := file
	if base != "" {
		other, err := l.open(file, base, ref)
		if err != nil {
			l.failed = append(l.failed, err.Diagnostics...)
			file.resolved[ref.Value] = nil
			return nil
		}
		in = other
	}
	var t *Node
	if in != nil {
		t = l.fragment(in, fragment)
	}
	if t == nil {
		t = l.guess(file, ref)
	}
	file.resolved[ref.Value] = t
	return t
}

// open returns the file that base names from file's point of view. A bare word that is no file gives nil without an
// error: some authors write the name of a schema there.
func (l *loader) open(file *File, base string, ref *Node) (*File, *Error) {
	if isURL(base) || isURL(file.Location) {
		from, err := url.Parse(file.Location)
		if err != nil || !isURL(file.Location) {
			from = &url.URL{}
		}
		to, err := from.Parse(base)
		if err != nil {
			return nil, Errorf(ref.Pos(), "bad-url", "the reference %q is not a URL: %v", ref.Value, err)
		}
		return asError(ref.Pos(), first(l.remote(to.String(), ref.Pos())))
	}
	name, err := url.PathUnescape(base)
	if err != nil {
		name = base
	}
	if l.byID(file, base) != nil || !strings.ContainsAny(name, "./\\") {
		return nil, nil
	}
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		return asError(ref.Pos(), first(l.local(
			filepath.Join(filepath.Dir(file.Name), name), filepath.Join(filepath.Dir(file.Location), name), ref.Pos())))
	}
	return asError(ref.Pos(), first(l.local(name, name, ref.Pos())))
}

type opened struct {
	file *File
	err  error
}

func first(f *File, err error) opened { return opened{f, err} }

func asError(pos Position, o opened) (*File, *Error) {
	switch e := o.err.(type) { //nolint:errorlint // the loader wraps none of its own errors
	case nil:
		return o.file, nil
	case *Error:
		return nil, e
	default:
		return nil, Errorf(pos, "unreadable", "%v", e)
	}
}

// fragment finds the part of a file that follows the # of a reference: a JSON pointer, an anchor, or all of it.
func (l *loader) fragment(file *File, fragment string) *Node {
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if fragment == "" || fragment == "/" {
		return file.Root
	}
	if !strings.HasPrefix(fragment, "/") {
		return l.anchors(file)["#"+fragment]
	}
	n := file.Root
	for name := range strings.SplitSeq(fragment[1:], "/") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		if n = step(n, name); n == nil {
			if n = l.through(file, fragment); n != nil {
				return n
			}
			return nil
		}
	}
	return n
}

// through follows a pointer that leads across other references.
func (l *loader) through(file *File, pointer string) *Node {
	n := file.Root
	for name := range strings.SplitSeq(pointer[1:], "/") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		next := step(n, name)
		if next == nil && n.IsObject() && n.Get("$ref") != nil {
			l.reference(n)
			next = step(n.Deref(), name)
		}
		if n = next; n == nil {
			return nil
		}
	}
	return n
}

func step(n *Node, name string) *Node {
	if n.IsArray() {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(n.Items) {
			return nil
		}
		return n.Items[i]
	}
	return n.Get(name)
}

func (l *loader) byID(file *File, id string) *Node { return l.anchors(file)[id] }

// anchors maps the $anchor, $dynamicAnchor and $id of a file's schemas, made when it is first asked for.
func (l *loader) anchors(file *File) map[string]*Node {
	if file.anchors != nil {
		return file.anchors
	}
	file.anchors = map[string]*Node{}
	var visit func(n *Node)
	visit = func(n *Node) {
		for _, item := range n.Items {
			visit(item)
		}
		for _, m := range n.Members {
			if m.Value.Kind == String && m.Value.Value != "" {
				switch m.Key {
				case "$anchor", "$dynamicAnchor":
					file.anchors["#"+m.Value.Value] = n
				case "$id":
					file.anchors[m.Value.Value] = n
				}
			}
			visit(m.Value)
		}
	}
	visit(file.Root)
	return file.anchors
}

// guess reads a reference that is written wrongly but can mean one thing only; what it assumed is a warning.
func (l *loader) guess(file *File, ref *Node) *Node {
	if t := l.byID(file, ref.Value); t != nil {
		return t
	}
	_, fragment, _ := strings.Cut(ref.Value, "#")
	if fragment == "" {
		fragment = ref.Value
	}
	name := fragment[strings.LastIndexByte(fragment, '/')+1:]
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	candidates := []string{strings.TrimPrefix(fragment, "/")}
	if !strings.Contains(fragment, "/") || strings.Contains(fragment, "definitions/") {
		candidates = append(candidates, "components/schemas/"+EscapePointer(name))
	}
	for _, c := range candidates {
		if !strings.Contains(c, "/") {
			continue
		}
		if t := l.through(file, "/"+c); t != nil {
			l.warnf(ref.Pos(), "ref-form", "the reference %q is read as #/%s", ref.Value, c)
			return t
		}
	}
	l.warnf(ref.Pos(), "dangling-ref", "the reference %q points to nothing; a schema there is any value, anything else is left out", ref.Value)
	return nil
}
