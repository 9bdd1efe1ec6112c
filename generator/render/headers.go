package render

import (
	"net/http"
	"sort"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

type headerView struct{ Comment, GoName, Type, Name string }

// printHeaders prints a reader for every response header that some operation declares, once for the whole API: the
// same header means the same thing wherever it comes. One that is declared with several types is a string.
func (r *renderer) printHeaders() error {
	byName := map[string]*plan.ResponseHeader{}
	taken := map[string]bool{}
	for s := range r.plan.All() {
		for _, m := range s.Methods {
			for _, h := range m.Headers {
				name := http.CanonicalHeaderKey(h.Name)
				known := byName[name]
				switch {
				case known == nil && !taken[h.GoName]:
					header := *h
					byName[name], taken[h.GoName] = &header, true
				case known != nil && known.Type != h.Type:
					known.Type = typeString
				}
			}
		}
	}
	if len(byName) == 0 {
		return nil
	}
	views := make([]headerView, 0, len(byName))
	for _, h := range byName {
		goType := strings.TrimPrefix(h.Type, "*")
		doc := h.GoName + " reads " + h.Name + ". " + strings.TrimPrefix(h.Doc, h.GoName+" ")
		views = append(views, headerView{models.Comment(doc, "", ""), h.GoName, goType, quote(h.Name)})
	}
	sort.Slice(views, func(i, j int) bool { return views[i].GoName < views[j].GoName })
	return r.execute("headers", "headers.tmpl", views)
}
