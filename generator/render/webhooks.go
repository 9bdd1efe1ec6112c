package render

import (
	"strconv"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

type eventView struct{ Comment, GoName, Type, Case string }

func (r *renderer) printWebhooks() error {
	var events []eventView
	for _, w := range r.plan.Webhooks {
		t := r.types[w.Type]
		if t == nil {
			continue
		}
		events = append(events, eventView{models.Comment(w.Doc, "", "\t"), w.GoName, w.Type, models.Case(eventCase(w, t))})
	}
	if events == nil {
		return nil
	}
	return r.execute("webhooks", "webhooks.tmpl", map[string]any{"Events": events})
}

// eventCase is how an event is known: by the member that holds its name, else by its shape.
func eventCase(w *plan.Webhook, t *plan.Type) (discriminator string, v *plan.Variant) {
	v = &plan.Variant{JSON: "object"}
	for _, f := range t.Fields {
		if f.Required {
			v.Required = append(v.Required, f.JSON)
		}
		v.Known = append(v.Known, f.JSON)
		if w.Tag != "" && f.Const == strconv.Quote(w.Tag) {
			discriminator, v.Tags = f.JSON, []string{w.Tag}
		}
	}
	return discriminator, v
}
