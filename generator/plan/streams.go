package plan

import (
	"regexp"
	"slices"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// lastEvent finds the end of a stream in prose, as in "terminated by a `data: [DONE]` message".
var lastEvent = regexp.MustCompile("(?i)\\b(?:terminat(?:es|ed|ing)|end(?:s|ed|ing)?|finish(?:es|ed|ing)?|clos(?:es|ed|ing)|complet(?:es|ed|ing))\\b[^.]{0,80}`?data: (\\[[A-Za-z]+\\])`?")

// streamSwitch is the member of the body by which such APIs are asked for events, nil when there is none that can be set.
func (b *builder) streamSwitch(m *Method) *Field {
	if len(m.Bodies) == 0 || m.Bodies[0].ByPointer {
		return nil
	}
	t := b.structOf(m.Bodies[0].Type)
	if t == nil || t.Name != m.Bodies[0].Type {
		return nil
	}
	f := fieldOf(t, "stream")
	if f == nil || f.Const != "" || !slices.Contains([]string{"bool", "*bool", "wire.Nullable[bool]"}, f.Type) {
		return nil
	}
	return f
}

// stream says how the stream of an operation ends: by x-stream, by the extensions that others read, or in the words of
// the document.
func (b *builder) stream(o *operation, success []answer) (end string, endless bool) {
	own := o.Node.Get("x-stream")
	for _, member := range own.All() {
		if member.Key != "end" && member.Key != "endless" {
			b.failf(own, "x-stream", "x-stream has no member %q; it has end and endless", member.Key)
		}
	}
	if end, endless = own.Str("end"), own.Flag("endless"); end != "" || endless {
		return end, endless
	}
	if end = o.Node.Get("x-fern-streaming").Str("terminator"); end != "" {
		return end, false
	}
	for _, a := range success {
		for _, entry := range mediaOf(a.response) {
			if end = entry.node.Str("x-speakeasy-sse-sentinel"); end != "" {
				return end, false
			}
		}
	}
	texts := []*spec.Node{o.Node}
	for _, entry := range mediaOf(o.Node.Get("requestBody").Deref()) {
		texts = append(texts, entry.schema.Deref().Get("properties").Get("stream"))
	}
	for _, n := range texts {
		for _, text := range []string{n.Str("description"), n.Deref().Str("description")} {
			if found := lastEvent.FindStringSubmatch(text); found != nil {
				return found[1], false
			}
		}
	}
	return "", false
}
