package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// operations lists every operation of the paths and the webhooks, path items behind references included.
func operations(s *state) {
	paths := s.Root.Get("paths")
	if paths != nil && paths.Kind != spec.Object && paths.Kind != spec.Null {
		s.warnf(paths, "paths", "paths has to be an object; it is left out")
	}
	for _, m := range paths.All() {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		path := m.Key
		if !strings.HasPrefix(path, "/") {
			s.warnf(m.Value, "path", "the path %q does not begin with a slash; one is put before it", path)
			path = "/" + path
		}
		s.Operations = append(s.Operations, s.item(path, "/paths/"+spec.EscapePointer(m.Key), m.Value)...)
	}
	for _, m := range s.Root.Get("webhooks").All() {
		s.Webhooks = append(s.Webhooks, s.item(m.Key, "/webhooks/"+spec.EscapePointer(m.Key), m.Value)...)
	}
}

func (s *state) item(path, pointer string, written *spec.Node) []*Operation {
	item := written.Deref()
	if item == nil || item.Kind != spec.Object {
		s.warnf(written, "path-item", "the path %q has no path item; its operations are missing", path)
		return nil
	}
	var list []*Operation
	for _, m := range item.Members {
		if !isMethod(m.Key) {
			continue
		}
		node := m.Value.Deref()
		if !node.IsObject() {
			s.warnf(m.Value, "operation", "%s %s has to be an object; an operation without parameters is assumed", strings.ToUpper(m.Key), path)
			node = spec.NewObject(m.Value)
		}
		list = append(list, &Operation{
			ID: strings.TrimSpace(node.Str("operationId")), Method: strings.ToUpper(m.Key), Path: path,
			Pointer: pointer + "/" + m.Key, Node: node, Item: item,
		})
	}
	return list
}
