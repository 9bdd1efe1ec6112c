package normalise

import "strings"

// operationIDs gives every operation an id of its own. One that is missing is made of method and path, so that nothing
// but the path decides it; of two that are the same, the second gets what tells it apart from the first.
func operationIDs(s *state) {
	seen := map[string]*Operation{}
	for _, op := range s.Operations {
		if op.ID == "" {
			op.ID, op.Made = madeID(op.Method, op.Path), true
		}
		if first := seen[op.ID]; first != nil {
			id := op.ID + "_" + madeID(op.Method, op.Path)
			s.warnf(op.Node.Get("operationId"), "duplicate-operation-id", "the operationId %q is that of %s %s already; %s %s is called %q",
				op.ID, first.Method, first.Path, op.Method, op.Path, id)
			op.ID, op.Made = id, true
		}
		seen[op.ID] = op
	}
}

// madeID tells apart what paths can differ in: /users/{id}, /users/id and /users/id/ give three ids.
func madeID(method, path string) string {
	words := []string{strings.ToLower(method)}
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if segment == "" {
			words = append(words, "slash")
			continue
		}
		for segment != "" {
			before, after, found := strings.Cut(segment, "{")
			if before != "" {
				words = append(words, before)
			}
			if !found {
				break
			}
			name, rest, _ := strings.Cut(after, "}")
			words = append(words, "by", name)
			segment = rest
		}
	}
	return strings.Join(words, "_")
}

// equivalentPaths tells of templates that differ in the names of their parameters only: a server cannot tell them apart.
func equivalentPaths(s *state) {
	seen := map[string]*Operation{}
	for _, op := range s.Operations {
		var b strings.Builder
		b.WriteString(op.Method)
		depth := 0
		for _, r := range op.Path {
			switch {
			case r == '{':
				depth++
				b.WriteRune(r)
			case r == '}':
				depth--
				b.WriteRune(r)
			case depth == 0:
				b.WriteRune(r)
			}
		}
		if first := seen[b.String()]; first != nil && first.Path != op.Path {
			s.warnf(op.Node, "equivalent-paths", "%s %s and %s are one path to a server; both are kept", op.Method, first.Path, op.Path)
		}
		seen[b.String()] = op
	}
}
