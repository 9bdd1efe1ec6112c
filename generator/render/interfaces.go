package render

import "strings"

type interfaceView struct {
	Name, TypeName string
	Signatures     []string
}

// printInterfaces prints what a user's tests can fake: one interface a service.
func (r *renderer) printInterfaces() error {
	var views []interfaceView
	for s := range r.plan.All() {
		view := interfaceView{Name: strings.TrimSuffix(s.TypeName, "Service") + "API", TypeName: s.TypeName}
		for r.types[view.Name] != nil {
			view.Name += "Methods"
		}
		for _, m := range r.signatures[s] {
			view.Signatures = append(view.Signatures, m.Signature)
		}
		if view.Signatures != nil {
			views = append(views, view)
		}
	}
	if views == nil {
		return nil
	}
	return r.execute("interfaces", "interfaces.tmpl", views)
}
