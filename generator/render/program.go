package render

import (
	"bytes"
	"path"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

// programView is one program of the folder examples.
type programView struct {
	Kind   string // the template's case, and the name of its folder
	Doc    string // of the command
	Call   string
	Use    string // what is done with the result
	Prefix string
	Secret string // environment variable of the webhooks' secret
}

// programs are small commands that call the real API, one for each thing that it has. There are none when the path by
// which they would import the package is not known.
func (r *renderer) programs() (map[string][]byte, error) {
	out := map[string][]byte{}
	if !r.external() {
		return out, nil
	}
	prefix := r.plan.Package + "."
	e := &exampler{r: r, s: sampler{r.types, prefix}}
	for _, v := range e.programs() {
		v.Prefix = prefix
		var body bytes.Buffer
		if err := r.templates.ExecuteTemplate(&body, "program.tmpl", v); err != nil {
			return nil, err
		}
		text, err := r.importing(models.Comment("Command "+v.Kind+" "+v.Doc, "", ""), "main", body.String())
		if err != nil {
			return nil, err
		}
		out[path.Join("examples", v.Kind, "main.go")] = text
	}
	return out, nil
}

func (e *exampler) programs() []programView {
	var list []programView
	from := ""
	if env := e.r.environment(); env != "" {
		from = " Where the API is and who calls it comes from the environment: " + strings.ReplaceAll(env, "`", "") + "."
	}
	if m, at := e.r.sampleMethod(); m != nil {
		list = append(list, programView{Kind: "quickstart", Doc: "makes a first call and tells what is wrong when it fails." + from, Call: e.s.call(m, "c."+at), Use: e.shown(m)})
	}
	kinds := map[string]bool{}
	e.walk(func(s *plan.Service, path string) {
		for _, m := range s.Methods {
			v := e.program(m, path)
			if v.Kind != "" && !kinds[v.Kind] && m.Deprecated == "" {
				kinds[v.Kind] = true
				v.Doc += from
				list = append(list, v)
			}
		}
	})
	for _, w := range e.r.plan.Webhooks {
		if t := e.r.types[w.Type]; t != nil && t.Kind == plan.Struct {
			secret := e.r.plan.EnvPrefix + "_WEBHOOK_SECRET"
			return append(list, programView{
				Kind: "webhook", Doc: "takes events on port 8080. " + secret + " is the secret that signs them.", Secret: secret,
				Call: "event." + w.GoName,
			})
		}
	}
	return list
}

const sampleFile = `wire.FromBytes("file.txt", []byte("content"))`

// program is the program that a method is shown by, one without Kind when there is none.
func (e *exampler) program(m *plan.Method, path string) programView {
	switch {
	case m.Pagination != nil && m.Pagination.ItemType != "" && m.Result.Kind == resultOne:
		list := *m
		list.GoName, _ = iteratorNames(m)
		return programView{Kind: "list", Doc: "reads a list to its end, page after page.", Call: e.s.call(&list, path), Use: `fmt.Printf("%+v\n", item)`}
	case m.Result.Kind == resultSSE:
		return programView{Kind: "stream", Doc: "reads events until the stream ends or the program is stopped.", Call: e.s.call(m, path), Use: "fmt.Println(item.ID, string(item.Raw))"}
	case m.Result.Kind == resultBinary:
		return programView{Kind: "download", Doc: "fetches a file to the standard output, and goes on where it breaks.", Call: e.s.call(m, path)}
	case len(m.Bodies) > 0 && m.Bodies[0].Kind == "multipart" && (m.Result.Kind == resultOne || m.Result.Kind == resultNone):
		call := strings.Replace(e.s.call(m, path), sampleFile, "file", 1)
		if !strings.Contains(call, "file}") && !strings.Contains(call, "file,") {
			return programView{}
		}
		v := programView{Kind: "upload", Doc: "sends the file that its argument names.", Call: call}
		if m.Result.Kind == resultOne {
			v.Use = e.shown(m)
		}
		return v
	}
	return programView{}
}

// shown prints a result, or what names it.
func (e *exampler) shown(m *plan.Method) string {
	if use, _ := e.outcome(m); use != "" {
		return use
	}
	return `fmt.Printf("%+v\n", result)`
}
