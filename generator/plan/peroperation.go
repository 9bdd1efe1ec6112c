package plan

import (
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// configured are the members of an operation in the config, and the extension that each stands for.
var configured = map[string]string{"idempotency": "x-idempotency", "retry": "x-retry", "pagination": "x-pagination"}

// perOperation puts what the config says of single operations where the document would say it. The config wins.
func (b *builder) perOperation(all []*operation) {
	byID := make(map[string]*operation, len(all))
	for _, o := range all {
		byID[o.ID] = o
	}
	config := b.opts.PerOperation
	for _, m := range config.All() {
		o := byID[m.Key]
		switch {
		case o == nil:
			b.failed = append(b.failed, unknownOperation(config.KeyPos(m.Key), m.Key, byID))
			continue
		case !m.Value.IsObject():
			b.failf(m.Value, "config", "what is said of an operation is a mapping with the members %s", members(configured))
			continue
		}
		for _, said := range m.Value.All() {
			extension := configured[said.Key]
			if extension == "" {
				b.failed = append(b.failed, spec.Errorf(m.Value.KeyPos(said.Key), "config",
					"there is no %q of an operation; the members are %s", said.Key, members(configured)).Diagnostics...)
				continue
			}
			o.Node.Set(extension, said.Value)
		}
		b.checkMembers("idempotency", m.Value.Get("idempotency"), keyMembersOfConfig)
		b.checkPaging(m.Value.Get("pagination"))
	}
}

func unknownOperation(pos spec.Position, id string, known map[string]*operation) spec.Diagnostic {
	names := make(map[string]bool, len(known))
	for name := range known {
		names[name] = true
	}
	err := &UnknownSelectionError{"operation", id, sorted(names)}
	return spec.Diagnostic{Pos: pos, Code: "config", Message: err.Error()}
}

var (
	keyMembersOfConfig = []string{
		"conflict-codes", "header", "in", "in-flight", "key", "max-length", "min-length", "name", "pattern", "required", "window",
	}
	pagingKinds   = []string{"cursor", "link-header", "next-url", "offset", "page"}
	pagingMembers = []string{
		"first-page", "has-more", "in", "items", "last-item", "limit", "next", "request", "total", "total-pages", "type",
	}
)

// checkPaging tells mistakes in a pagination of the config, where no other tool's extension can be meant.
func (b *builder) checkPaging(n *spec.Node) {
	switch {
	case n == nil || n.Kind == spec.Bool && !n.IsTrue():
		return
	case !n.IsObject():
		b.failf(n, "config", "pagination is a mapping, or false for an operation that is no list")
		return
	}
	b.checkMembers("pagination", n, pagingMembers)
	kind := n.Get("type")
	if !slices.Contains(pagingKinds, kind.Text()) {
		at := n
		if kind != nil {
			at = kind
		}
		b.failf(at, "config", "the type of a pagination is one of %s", strings.Join(pagingKinds, ", "))
	}
}

func (b *builder) checkMembers(of string, n *spec.Node, known []string) {
	for _, m := range n.All() {
		if !slices.Contains(known, m.Key) {
			b.failed = append(b.failed, spec.Errorf(n.KeyPos(m.Key), "config", "%s has no member %q; the members are %s",
				of, m.Key, strings.Join(known, ", ")).Diagnostics...)
		}
	}
}

func members(m map[string]string) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
