package normalise

import (
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// mapOrder sorts the members of every map whose order means nothing, so that a document that was only reordered, by an
// editor or by the program that writes it, gives the same code. Lists keep their order.
func mapOrder(s *state) {
	components := s.Root.Get("components")
	for _, m := range components.All() {
		sortMembers(m.Value)
	}
	sortMembers(s.Root.Get("paths"))
	sortMembers(s.Root.Get("webhooks"))
	s.walks++
	w := walker{stamp: s.walks, visit: func(n *spec.Node) {
		if n.Kind != spec.Object || n.Ref != "" {
			return
		}
		for _, key := range schemaMaps {
			sortMembers(n.Get(key))
		}
		sortMembers(n.At("discriminator", "mapping"))
	}, sort: true}
	w.document(s.Root)
}

func sortMembers(n *spec.Node) {
	if n == nil || n.Kind != spec.Object || n.Ref != "" {
		return
	}
	n.Sort(func(a, b spec.Member) int { return strings.Compare(a.Key, b.Key) })
}

func sortMethods(n *spec.Node) {
	n.Sort(func(a, b spec.Member) int {
		return slices.Index(Methods, strings.ToLower(a.Key)) - slices.Index(Methods, strings.ToLower(b.Key))
	})
}
