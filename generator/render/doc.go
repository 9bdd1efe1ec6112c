package render

import (
	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

const docFile = "doc"

func (r *renderer) printDoc() error {
	_, _ = r.to(docFile).WriteString("\n")
	return nil
}

// packageDoc is the package comment with a sample of a call.
func (r *renderer) packageDoc() string {
	p := r.plan
	doc := "Package " + p.Package + " is a client of the " + r.apiName() + "."
	if p.Description != "" {
		doc += "\n\n" + p.Description
	}
	if sample := r.sample(); sample != "" {
		doc += "\n\nCreate a client and call a method:\n\n" + sample
	}
	doc += "\n\nEvery call is retried where that is safe, under one idempotency key where the operation takes one. " +
		"Every answer outside 2xx is an [*Error]."
	if p.DocsURL != "" {
		doc += "\n\nThe API's own documentation: " + p.DocsURL
	}
	return models.Comment(doc, "", "")
}

// sample is a few lines of Go, indented as code.
func (r *renderer) sample() string {
	m, path := r.sampleMethod()
	if m == nil {
		return ""
	}
	pkg := r.plan.Package + "."
	return "\tc, err := " + pkg + "New()\n\tif err != nil {\n\t\treturn err\n\t}\n\tresult, err := " +
		sampler{r.types, pkg}.call(m, "c."+path)
}

// sampleMethod is a method that is easy to show: one without arguments that must be made up, or one with an example.
func (r *renderer) sampleMethod() (*plan.Method, string) {
	var best *plan.Method
	bestPath, bestRank := "", 0
	var walk func(list []*plan.Service, prefix string)
	walk = func(list []*plan.Service, prefix string) {
		for _, s := range list {
			path := prefix + s.GoName
			for _, m := range s.Methods {
				if rank := sampleRank(m); rank > bestRank {
					best, bestPath, bestRank = m, path, rank
				}
			}
			walk(s.Children, path+".")
		}
	}
	walk(r.plan.Services, "")
	return best, bestPath
}

func sampleRank(m *plan.Method) int {
	if m.Deprecated != "" || m.Result.Kind != resultOne {
		return 0
	}
	needs := len(m.PathParams) > 0 || len(m.Bodies) > 0 || m.Params != nil && m.Params.Required
	switch {
	case needs:
		return 0
	case m.GoName == "List":
		return 3
	case m.HTTP == "GET":
		return 2
	}
	return 1
}
