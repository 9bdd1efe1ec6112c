package plan

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// webhooks lists the events that the API sends, those with a JSON payload.
func (b *builder) webhooks() {
	if b.subset {
		return
	}
	names := newScope()
	for _, hook := range b.doc.Webhooks {
		entries := mediaOf(hook.Node.Get("requestBody").Deref())
		if len(entries) == 0 || entries[0].schema == nil {
			continue
		}
		g := b.typeOf(entries[0].schema)
		w := &Webhook{Name: hook.Path, GoName: names.take(exported(hook.Path, "Webhook")), Type: g.expr}
		w.Doc = docText(hook.Node.Str("description"))
		if w.Doc == "" {
			w.Doc = docText(hook.Node.Str("summary"))
		}
		w.Tag = eventTag(entries[0].schema.Deref(), hook.Path)
		b.plan.Webhooks = append(b.plan.Webhooks, w)
		b.note(hook.Pointer, "webhook", w.GoName)
	}
}

// eventTag gives the value of the member that names the event: its only value, or the webhook's name when it is one of
// the values.
func eventTag(n *spec.Node, name string) string {
	for _, key := range []string{"type", "event", "event_type", "eventType", "name"} {
		member := n.Get("properties").Get(key)
		if member == nil {
			continue
		}
		if one := single(member); one != nil {
			return one.Value
		}
		for _, v := range member.Deref().Get("enum").List() {
			if strings.EqualFold(v.Value, name) {
				return v.Value
			}
		}
	}
	return ""
}
