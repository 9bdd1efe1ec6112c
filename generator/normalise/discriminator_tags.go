package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// discriminatorTags writes down, before allOf is merged away, which value of which property each schema stands for, so
// that the property can be filled in by itself. A schema that stands for two values gets neither.
func discriminatorTags(s *state) {
	s.eachSchema(func(n *spec.Node) {
		d := n.Get("discriminator")
		property := d.Str("propertyName")
		if d == nil || n.Ref != "" {
			return
		}
		if property == "" {
			s.warnf(d, "discriminator", "the discriminator has no propertyName; it is left out")
			n.Delete("discriminator")
			return
		}
		for _, m := range d.Get("mapping").All() {
			if m.Value.Target == nil {
				s.warnf(m.Value, "discriminator", "the discriminator maps %q to %q, which is not there; the entry is left out", m.Key, m.Value.Value)
				continue
			}
			s.tag(m.Value.Deref(), property, m.Key)
		}
	})
}

func (s *state) tag(target *spec.Node, property, value string) {
	tags := s.Tags[target]
	if tags == nil {
		tags = map[string]string{}
		s.Tags[target] = tags
	}
	if old, ok := tags[property]; ok && old != value {
		value = ""
	}
	tags[property] = value
}
