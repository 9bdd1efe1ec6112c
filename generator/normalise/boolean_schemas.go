package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// booleanSchemas turns the schemas true and false of JSON Schema 2020-12, which allow everything and nothing, into
// objects: {} for both, because no Go type holds nothing. A schema of any other kind is a slip of the author.
func booleanSchemas(s *state, n *spec.Node) {
	if n.Kind == spec.Object {
		return
	}
	if n.Kind != spec.Bool && n.Kind != spec.Null {
		s.warnf(n, "not-a-schema", "a schema has to be an object, this is a %s; any value is assumed", n.Kind)
	}
	n.Become(spec.NewObject(n))
}
