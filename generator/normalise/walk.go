package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// Methods are the HTTP methods of a path item, in the order in which operations are told.
var Methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// Schema members by what they hold.
var (
	schemaMaps  = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
	schemaLists = []string{"allOf", "oneOf", "anyOf", "prefixItems"}
	schemaOnes  = []string{
		"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
		"unevaluatedProperties", "unevaluatedItems", "additionalItems",
	}
)

// eachSchema calls visit once for every schema of the document, references among them, in document order.
func (s *state) eachSchema(visit func(*spec.Node)) {
	s.walks++
	w := walker{visit: visit, stamp: s.walks}
	w.document(s.Root)
}

type walker struct {
	visit func(*spec.Node)
	stamp uint32 // of this walk
	sort  bool   // put maps in order on the way
}

func (w *walker) once(n *spec.Node) bool {
	if n == nil || n.Stamp == w.stamp {
		return false
	}
	n.Stamp = w.stamp
	return true
}

func (w *walker) document(root *spec.Node) {
	components := root.Get("components")
	for _, m := range components.Get("schemas").All() {
		w.schema(m.Value)
	}
	for _, m := range components.Get("parameters").All() {
		w.parameter(m.Value)
	}
	for _, m := range components.Get("headers").All() {
		w.parameter(m.Value)
	}
	for _, m := range components.Get("requestBodies").All() {
		w.content(m.Value)
	}
	for _, m := range components.Get("responses").All() {
		w.response(m.Value)
	}
	for _, key := range []string{"pathItems", "callbacks"} {
		for _, m := range components.Get(key).All() {
			if key == "callbacks" {
				w.callback(m.Value)
			} else {
				w.pathItem(m.Value)
			}
		}
	}
	for _, m := range root.Get("paths").All() {
		w.pathItem(m.Value)
	}
	for _, m := range root.Get("webhooks").All() {
		w.pathItem(m.Value)
	}
}

func (w *walker) callback(n *spec.Node) {
	n = n.Deref()
	if !w.once(n) {
		return
	}
	for _, m := range n.All() {
		w.pathItem(m.Value)
	}
}

func (w *walker) pathItem(n *spec.Node) {
	n = n.Deref()
	if !w.once(n) || n.Kind != spec.Object {
		return
	}
	if w.sort {
		sortMethods(n)
	}
	for _, p := range n.Get("parameters").List() {
		w.parameter(p)
	}
	for _, m := range n.Members {
		if isMethod(m.Key) {
			w.operation(m.Value)
		}
	}
}

func isMethod(key string) bool {
	for _, m := range Methods {
		if strings.EqualFold(m, key) {
			return true
		}
	}
	return false
}

func (w *walker) operation(n *spec.Node) {
	if !w.once(n) {
		return
	}
	for _, p := range n.Get("parameters").List() {
		w.parameter(p)
	}
	w.content(n.Get("requestBody"))
	if w.sort {
		sortMembers(n.Get("responses"))
		sortMembers(n.Get("callbacks"))
	}
	for _, m := range n.Get("responses").All() {
		w.response(m.Value)
	}
	for _, m := range n.Get("callbacks").All() {
		w.callback(m.Value)
	}
}

func (w *walker) response(n *spec.Node) {
	n = n.Deref()
	if n == nil || n.Stamp == w.stamp {
		return
	}
	if w.sort {
		sortMembers(n.Get("headers"))
	}
	for _, m := range n.Get("headers").All() {
		w.parameter(m.Value)
	}
	w.content(n)
}

func (w *walker) parameter(n *spec.Node) {
	n = n.Deref()
	if n == nil || n.Stamp == w.stamp {
		return
	}
	if schema := n.Get("schema"); schema != nil {
		w.schema(schema)
	}
	w.content(n)
}

func (w *walker) content(n *spec.Node) {
	n = n.Deref()
	if !w.once(n) {
		return
	}
	if w.sort {
		sortMembers(n.Get("content").Deref())
	}
	for _, m := range n.Get("content").Deref().All() {
		media := m.Value.Deref()
		if schema := media.Get("schema"); schema != nil {
			w.schema(schema)
		}
		for _, e := range media.Get("encoding").All() {
			for _, h := range e.Value.Get("headers").All() {
				w.parameter(h.Value)
			}
		}
	}
}

func (w *walker) schema(n *spec.Node) {
	if !w.once(n) {
		return
	}
	w.visit(n)
	if n.Kind != spec.Object {
		return
	}
	if n.Ref != "" {
		w.schema(n.Target)
		return
	}
	for _, key := range schemaMaps {
		for _, m := range n.Get(key).All() {
			w.schema(m.Value)
		}
	}
	for _, key := range schemaLists {
		for _, item := range n.Get(key).List() {
			w.schema(item)
		}
	}
	for _, key := range schemaOnes {
		switch sub := n.Get(key); {
		case sub == nil || sub.Kind == spec.Bool && key != "items":
		case sub.Kind == spec.Array && key == "items": // a tuple of older drafts
			for _, item := range sub.Items {
				w.schema(item)
			}
		default:
			w.schema(sub)
		}
	}
	for _, m := range n.At("discriminator", "mapping").All() {
		w.schema(m.Value.Target)
	}
}
