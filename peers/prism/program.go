package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/peers/sample"
	"github.com/retrysafe/retrysafe/peers/work"
)

// source is the smoke program: a table of method values and JSON arguments.
func source(pkg *work.Package, values *sample.Document) string {
	p := pkg.Plan
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"log\"\n\t\"os\"\n\n\tapi %q\n\n\t\"github.com/retrysafe/retrysafe/peers/smoke\"\n\t\"github.com/retrysafe/retrysafe/sdk/client\"\n)\n\n", pkg.Import)
	b.WriteString("var _ json.RawMessage\n\nfunc token(context.Context) (client.Token, error) { return client.Token{Value: \"secret\"}, nil }\n\n")
	b.WriteString("var options = []api.Option{\n\tclient.WithHTTPClient(smoke.HTTP),\n")
	for _, scheme := range p.Schemes {
		if scheme.Kind == "oauth2" || scheme.Kind == "openIdConnect" {
			fmt.Fprintf(&b, "\tclient.WithTokenSource(%q, token),\n", scheme.Name)
		}
	}
	b.WriteString("}\n\nfunc main() {\n\tshop, err := api.New(append([]api.Option{api.WithBaseURL(os.Getenv(\"SMOKE_BASE_URL\"))}, options...)...)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tsmoke.Main([]smoke.Call{\n")
	var each func(prefix string, services []*plan.Service)
	each = func(prefix string, services []*plan.Service) {
		for _, s := range services {
			for _, m := range s.Methods {
				fmt.Fprintf(&b, "\t\t{ID: %q, Method: %s.%s.%s%s},\n", m.ID, prefix, s.GoName, m.GoName, arguments(m, values.Operation(m.Path, m.HTTP)))
			}
			each(prefix+"."+s.GoName, s.Children)
		}
	}
	each("shop", p.Services)
	b.WriteString("\t})\n}\n")
	return b.String()
}

func arguments(m *plan.Method, op sample.Operation) string {
	var b strings.Builder
	var path []string
	for _, param := range m.PathParams {
		if param.Const == "" {
			path = append(path, "[]byte("+quote(op.Path[param.Name])+")")
		}
	}
	if len(path) > 0 {
		fmt.Fprintf(&b, ", Path: []json.RawMessage{%s}", strings.Join(path, ", "))
	}
	if len(m.Bodies) > 0 {
		values := op.Bodies[m.Bodies[0].ContentType]
		samples := make([]string, len(values))
		for i, v := range values {
			samples[i] = "[]byte(" + quote(v) + ")"
		}
		if len(samples) > 0 {
			fmt.Fprintf(&b, ", Bodies: []json.RawMessage{%s}", strings.Join(samples, ", "))
		}
	}
	var params []string
	for in, place := range map[string]map[string]any{"query": op.Query, "header": op.Header, "cookie": op.Cookie} {
		for name, v := range place {
			params = append(params, fmt.Sprintf("%q: []byte(%s)", in+":"+name, quote(v)))
		}
	}
	if slices.Sort(params); len(params) > 0 {
		fmt.Fprintf(&b, ", Params: map[string]json.RawMessage{%s}", strings.Join(params, ", "))
	}
	return b.String()
}

func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return strconv.Quote("null")
	}
	return strconv.Quote(string(data))
}
