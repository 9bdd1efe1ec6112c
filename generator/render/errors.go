package render

import "strings"

type errorNew struct{ Func, Type string }

func (r *renderer) printErrors() error {
	var news []errorNew
	var names []string
	for _, t := range r.plan.Types {
		if t.IsError && r.isAnswer(t.Name) {
			news = append(news, errorNew{"new" + t.Name, t.Name})
			names = append(names, "["+t.Name+"]")
		}
	}
	return r.execute("errors", "errors.tmpl", map[string]any{"News": news, "Types": shortList(names)})
}

// isAnswer tells that some operation declares the type as an error answer.
func (r *renderer) isAnswer(name string) bool {
	for _, ref := range r.methods {
		for _, e := range ref.Errors {
			if e.Type == name {
				return true
			}
		}
	}
	return false
}

const shownNames = 5

func shortList(names []string) string {
	if len(names) > shownNames {
		return strings.Join(names[:shownNames], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
