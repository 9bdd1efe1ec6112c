package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// progress is how far the merging of one schema is.
type progress uint8

const (
	_ progress = iota
	open
	closed
)

// mergeAllOfs replaces every allOf by the one flat schema that it adds up to. Embedding would be shorter, but two parts
// that declare one member, a part that only adds required, and a part that is itself a reference each break it.
func mergeAllOfs(s *state) {
	s.eachSchema(s.flatten)
}

func (s *state) flatten(n *spec.Node) {
	if n.Ref != "" || s.merged[n] != 0 || s.budget < 0 {
		return
	}
	list := n.Get("allOf")
	if list == nil {
		s.merged[n] = closed
		return
	}
	s.merged[n] = open
	parts := s.parts(n, list)
	n.Delete("allOf")
	own := n.Copy()
	if m := lonePart(parts, own); m != nil {
		s.stand(n, own, m, parts)
	} else {
		s.merge(n, own, parts)
	}
	s.merged[n] = closed
}

// part is one entry of an allOf: as written, and what it means.
type part struct {
	written, means *spec.Node
}

func (s *state) parts(n, list *spec.Node) []part {
	var parts []part
	for _, item := range list.List() {
		t := item.Deref()
		if t == nil || t.Kind != spec.Object {
			continue
		}
		if s.merged[t] == open || t == n {
			s.warnf(item, "all-of-cycle", "this allOf contains itself; the entry is left out")
			continue
		}
		s.flatten(t)
		// a part may have become a reference itself
		if t = t.Deref(); t == nil || s.merged[t] == open {
			continue
		}
		parts = append(parts, part{written: item, means: t})
	}
	return parts
}

// lonePart gives the one part with a shape of its own when nothing else has any: such an allOf only wraps it.
func lonePart(parts []part, own *spec.Node) *part {
	var found *part
	for i := range parts {
		if !hasShape(parts[i].means, "") {
			continue
		}
		if found != nil && found.means != parts[i].means {
			return nil
		}
		found = &parts[i]
	}
	if found == nil || hasShape(own, found.means.Str("type")) {
		return nil
	}
	for _, p := range parts {
		if p.means != found.means && hasShape(p.means, found.means.Str("type")) {
			return nil
		}
	}
	return found
}

// hasShape reports whether a schema says anything about its values beside being of type except.
func hasShape(n *spec.Node, except string) bool {
	for _, m := range n.All() {
		switch {
		case isAnnotation(m.Key) && m.Key != "$ref":
		case m.Key == "type" && m.Value.Text() == except && except != "":
		case m.Key == "type" && m.Value.Text() == "object" && except == "" && len(n.Members) == 1:
		case m.Key == "properties" && len(m.Value.Members) == 0:
		case m.Key == "required" && len(m.Value.List()) == 0:
		case m.Key == "$defs" || m.Key == "definitions":
		default:
			return true
		}
	}
	return false
}

// stand makes n mean its one part, with the annotations of n and of the others.
func (s *state) stand(n, own *spec.Node, lone *part, parts []part) {
	var result *spec.Node
	if lone.written.Ref != "" {
		result = spec.NewRef(n, lone.means, lone.written.Ref)
	} else {
		result = lone.means.Copy()
		if p := s.Tags[lone.means]; p != nil {
			s.Tags[n] = p
		}
	}
	annotate(result, own, true)
	for _, p := range parts {
		if p.means != lone.means {
			annotate(result, p.means, false)
		} else if p.written.Ref != "" {
			annotate(result, p.written, false)
		}
	}
	n.Become(result)
}

// annotate copies annotations; over says that they win against those already there.
func annotate(to, from *spec.Node, over bool) {
	for _, m := range from.All() {
		if isAnnotation(m.Key) && m.Key != "$ref" && (over || !to.Has(m.Key)) {
			to.Set(m.Key, m.Value)
		}
	}
}

func (s *state) merge(n, own *spec.Node, parts []part) {
	m := merger{state: s, at: n, acc: spec.NewObject(n), closed: true}
	for _, p := range parts {
		m.add(p.means, p.written.Ref != "", false)
		if p.written.Ref != "" {
			annotate(m.acc, p.written, false)
		}
	}
	m.add(own, false, true)
	n.Become(m.finish())
	for _, p := range parts {
		for property, value := range s.Tags[p.means] {
			if p.written.Ref == "" {
				s.tag(n, property, value)
			}
		}
	}
}
