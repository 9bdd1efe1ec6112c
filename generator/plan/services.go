package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// UnknownSelectionError says that a tag or an operation was asked for that the document does not have.
type UnknownSelectionError struct {
	Kind  string // tag or operation
	Name  string
	Known []string
}

// Error names what was asked for, and what there is when that is not much.
func (e *UnknownSelectionError) Error() string {
	text := fmt.Sprintf("the document has no %s %q", e.Kind, e.Name)
	if len(e.Known) > 0 && len(e.Known) <= 30 {
		text += "; it has " + strings.Join(e.Known, ", ")
	}
	return text
}

// choose gives the operations that were asked for, each with the name that its types are made of.
func (b *builder) choose() ([]*operation, error) {
	tags, ids := map[string]bool{}, map[string]bool{}
	all := make([]*operation, 0, len(b.doc.Operations))
	for _, op := range b.doc.Operations {
		ids[op.ID] = true
		o := &operation{Operation: op}
		o.tag = tagOf(op.Node, op.Path)
		tags[o.tag] = true
		for _, t := range op.Node.Get("tags").List() {
			tags[t.Text()] = true
		}
		all = append(all, o)
	}
	for _, t := range b.opts.Tags {
		if !tags[t] {
			return nil, &UnknownSelectionError{"tag", t, sorted(tags)}
		}
	}
	for _, id := range b.opts.Operations {
		if !ids[id] {
			return nil, &UnknownSelectionError{"operation", id, sorted(ids)}
		}
	}
	b.perOperation(all)
	b.nameBases(all)
	for _, o := range all {
		if b.chosen(o) {
			b.ops = append(b.ops, o)
		}
	}
	return b.ops, nil
}

func sorted(m map[string]bool) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		if k != "" {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

func (b *builder) chosen(o *operation) bool {
	if len(b.opts.Tags) == 0 && len(b.opts.Operations) == 0 || slices.Contains(b.opts.Operations, o.ID) || slices.Contains(b.opts.Tags, o.tag) {
		return true
	}
	return slices.ContainsFunc(o.Node.Get("tags").List(), func(t *spec.Node) bool { return slices.Contains(b.opts.Tags, t.Text()) })
}

// nameBases gives every operation a Go name of its own. What a framework added to the name of a function, its path and
// its method, is taken off again where the rest is still one of a kind.
func (b *builder) nameBases(all []*operation) {
	order := slices.Clone(all)
	slices.SortFunc(order, func(x, y *operation) int { return strings.Compare(x.ID, y.ID) })
	taken := newScope()
	for _, o := range order {
		full := exported(o.ID, "Call")
		short := full
		if cut := withoutPath(o.ID, o.Method, o.Path); cut != "" {
			short = exported(cut, "Call")
		}
		o.base = taken.take(short, full)
	}
}

var notWord = regexp.MustCompile(`\W+`)

// withoutPath takes the path and the method off an operationId that ends with them, "" when it does not.
func withoutPath(id, method, path string) string {
	suffix := notWord.ReplaceAllString(path, "_") + "_" + strings.ToLower(method)
	if cut, ok := strings.CutSuffix(strings.ToLower(id), strings.ToLower(suffix)); ok && cut != "" {
		return strings.Trim(id[:len(cut)], "_")
	}
	return ""
}

var versionSegment = regexp.MustCompile(`^(api|rest|public|v\d+([._-]?\w+)?|\d+([.-]\d+)*|beta|alpha)$`)

// tagOf gives the first tag of an operation. One without a tag belongs to what its path is about.
func tagOf(n *spec.Node, path string) string {
	for _, t := range n.Get("tags").List() {
		if text := strings.TrimSpace(t.Text()); text != "" {
			return text
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		segment, _, _ = strings.Cut(segment, ".")
		segment, _, _ = strings.Cut(segment, ":")
		if segment == "" || strings.ContainsAny(segment, "{}") || versionSegment.MatchString(strings.ToLower(segment)) {
			continue
		}
		if len(words(segment)) > 0 {
			return segment
		}
	}
	return "API"
}

// services makes the tree of services and puts every operation on one.
func (b *builder) services(ops []*operation) {
	declared := map[string]*spec.Node{}
	var order []string
	for _, t := range b.doc.Root.Get("tags").List() {
		if name := strings.TrimSpace(t.Str("name")); name != "" && declared[name] == nil {
			declared[name] = t
			order = append(order, name)
		}
	}
	byTag := map[string][]*operation{}
	var others []string
	for _, o := range ops {
		if byTag[o.tag] == nil && declared[o.tag] == nil {
			others = append(others, o.tag)
		}
		byTag[o.tag] = append(byTag[o.tag], o)
	}
	slices.Sort(others)
	tree := serviceTree{b: b, declared: declared, byPath: map[string]*Service{}, files: newScope(fixedFiles...), top: newScope("Core", "CloseIdleConnections", "Call")}
	for _, tag := range append(order, others...) {
		list := byTag[tag]
		if len(list) == 0 {
			continue
		}
		s := tree.service(tag)
		for _, o := range list {
			o.service = s
		}
		b.methodNames(s, tag, list, tree.of(s))
	}
}

// fixedFiles are file names that are not a service's, and endings that the go command gives a meaning.
var fixedFiles = []string{"client", "options", "errors", "types", "webhooks", "doc", "enums", "test"}

type serviceTree struct {
	b        *builder
	declared map[string]*spec.Node
	byPath   map[string]*Service
	files    *scope
	top      *scope
	scopes   map[*Service]*scope
}

// service gives the service of a tag, with the parents that the tag's name tells of.
func (t *serviceTree) service(tag string) *Service {
	parts := t.parts(tag)
	var parent *Service
	for i, part := range parts {
		path := strings.ToLower(strings.Join(parts[:i+1], "/"))
		s := t.byPath[path]
		if s == nil {
			s = t.add(parent, tag, part, i == len(parts)-1)
			t.byPath[path] = s
		}
		parent = s
	}
	return parent
}

func (t *serviceTree) add(parent *Service, tag, part string, last bool) *Service {
	b := t.b
	pointer := "/tags/" + spec.EscapePointer(tag)
	goName := exported(part, "Service")
	if name := b.override(pointer); name != "" && last {
		goName = name
	}
	s := &Service{Name: part}
	var typeName string
	if parent == nil {
		s.GoName = t.top.take(goName, goName+"API")
		typeName = s.GoName
		b.plan.Services = append(b.plan.Services, s)
	} else {
		s.GoName = t.of(parent).take(goName, goName+"API")
		typeName = strings.TrimSuffix(parent.TypeName, "Service") + s.GoName
		parent.Children = append(parent.Children, s)
	}
	if last {
		s.Name = tag
		if d := t.declared[tag]; d != nil {
			s.Doc = docText(d.Str("description"))
		}
		b.note(pointer, "service", s.GoName)
	}
	s.TypeName = b.global.takeType(typeName+"Service", typeName+"API")
	if s.Doc != "" {
		s.Doc = begin(s.TypeName, s.Doc)
	} else {
		s.Doc = s.TypeName + " has the operations of " + s.Name + "."
	}
	s.File = t.files.take(fileName(strings.TrimSuffix(s.TypeName, "Service")), fileName(s.TypeName))
	return s
}

// of is the scope of a service's members: children and methods.
func (t *serviceTree) of(s *Service) *scope {
	if t.scopes == nil {
		t.scopes = map[*Service]*scope{}
	}
	if t.scopes[s] == nil {
		t.scopes[s] = newScope(ReservedMethods...)
	}
	return t.scopes[s]
}

var dotted = regexp.MustCompile(`^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)+$`)

// parts takes a tag apart where its name nests: Billing/Invoices, chat.completions, or a declared parent.
func (t *serviceTree) parts(tag string) []string {
	if d := t.declared[tag]; d != nil {
		if parent := d.Str("parent"); parent != "" && parent != tag && t.declared[parent] != nil && t.declared[parent].Str("parent") != tag {
			return append(t.parts(parent), tag)
		}
	}
	var list []string
	switch {
	case strings.Contains(tag, "/"):
		list = strings.Split(tag, "/")
	case strings.Contains(tag, " > "):
		list = strings.Split(tag, " > ")
	case dotted.MatchString(tag):
		list = strings.Split(tag, ".")
	default:
		return []string{tag}
	}
	kept := list[:0]
	for _, part := range list {
		part = strings.TrimSpace(part)
		if len(words(part)) == 0 {
			return []string{tag}
		}
		kept = append(kept, part)
	}
	if len(kept) > 4 {
		return []string{tag}
	}
	return kept
}

// fileName writes a Go name as a file name: customer_accounts. Names that the go command would read as a test or as
// being for one system get an ending.
func fileName(goName string) string {
	list := words(goName)
	for i, w := range list {
		list[i] = strings.ToLower(asciiOnly(w))
	}
	name := strings.Join(list, "_")
	if name == "" {
		name = "service"
	}
	if systemSuffix[list[len(list)-1]] {
		name += "_api"
	}
	return name
}

var systemSuffix = map[string]bool{
	"test": true, "linux": true, "windows": true, "darwin": true, "android": true, "ios": true, "js": true, "wasm": true,
	"arm": true, "arm64": true, "amd64": true, "plan9": true, "unix": true, "aix": true, "solaris": true, "386": true,
	"illumos": true, "freebsd": true, "netbsd": true, "openbsd": true, "dragonfly": true, "wasip1": true, "hurd": true, "nacl": true,
	"zos": true, "ppc64": true, "ppc64le": true, "mips": true, "riscv": true, "riscv64": true, "s390x": true, "loong64": true, "sparc": true,
}
