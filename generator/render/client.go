package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

func quote(s string) string { return strconv.Quote(s) }

func quoted(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = quote(s)
	}
	return strings.Join(parts, ", ")
}

func (r *renderer) printClient() error {
	p := r.plan
	data := map[string]any{
		"Version":       quote(p.Version),
		"Name":          quote(r.slug()),
		dataTitle:       r.apiName(),
		"Product":       quote(r.slug() + "-go/" + product(p.Version)),
		"EnvPrefix":     quote(p.EnvPrefix),
		"Servers":       serverConsts(p.Servers),
		"ServerRecords": serverRecords(p.Servers),
		"OwnServers":    len(p.Servers) == 0 && r.allOwnServers(),
		"Schemes":       schemes(p.Schemes),
		"Security":      requirements(p.Security),
		"Errors":        r.errorCases(r.common),
		"Services":      serviceFields(p.Services),
		"NewComment":    models.Comment(r.newDoc(), "", ""),
	}
	return r.execute("client", "client.tmpl", data)
}

// apiName is what the API is called in comments.
func (r *renderer) apiName() string {
	title := strings.TrimSpace(r.plan.Title)
	if strings.HasSuffix(strings.ToUpper(title), "API") {
		return title
	}
	return title + " API"
}

// slug is the API's short name in error texts and in the User-Agent: from the title, or the package when that says
// nothing.
func (r *renderer) slug() string {
	name := strings.ToLower(product(strings.TrimSuffix(strings.TrimSpace(r.plan.Title), " API")))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	if name = strings.Trim(name, "-."); name == "" || len(name) > 30 {
		return product(r.plan.Package)
	}
	return name
}

// product makes a token of RFC 9110 out of a name or a version.
func product(s string) string {
	mapped := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("-._", c) {
			return c
		}
		return '-'
	}, s)
	if mapped == "" {
		return "0"
	}
	return mapped
}

type constant struct{ Comment, Name, URL string }

func serverConsts(servers []*plan.Server) []constant {
	var out []constant
	for _, s := range servers {
		if s.Name != "" {
			out = append(out, constant{models.Comment(s.Description+variableWords(s.Variables), "", "\t"), s.Name, quote(s.URL)})
		}
	}
	return out
}

// variableWords says what may stand for the variables of a URL.
func variableWords(list []*plan.ServerVariable) string {
	var words strings.Builder
	for _, v := range list {
		words.WriteString(" {" + v.Name + "} is " + v.Default + " by default")
		if len(v.Enum) > 1 {
			words.WriteString(" and one of " + strings.Join(v.Enum, ", "))
		}
		words.WriteString(".")
		if v.Description != "" {
			words.WriteString(" " + v.Description)
		}
	}
	return words.String()
}

func serverRecords(servers []*plan.Server) string {
	if len(servers) == 0 {
		return ""
	}
	parts := make([]string, len(servers))
	for i, s := range servers {
		parts[i] = "\n\t\t{URL: " + serverURL(s)
		if len(s.Variables) > 0 {
			parts[i] += ", Variables: []client.Variable{" + variables(s.Variables) + "}"
		}
		parts[i] += "},"
	}
	return "[]client.Server{" + strings.Join(parts, "") + "\n\t}"
}

func serverURL(s *plan.Server) string {
	if s.Name != "" {
		return s.Name
	}
	return quote(s.URL)
}

func variables(list []*plan.ServerVariable) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = "{Name: " + quote(v.Name) + ", Default: " + quote(v.Default)
		if len(v.Enum) > 0 {
			parts[i] += ", Enum: []string{" + quoted(v.Enum) + "}"
		}
		parts[i] += "}"
	}
	return strings.Join(parts, ", ")
}

var schemeKinds = map[string]string{
	"bearer": "client.Bearer", "basic": "client.Basic", schemeAPIKey: "client.APIKey", "oauth2": "client.OAuth2",
	"openIdConnect": "client.Bearer",
}

func schemes(list []*plan.Scheme) []string {
	var out []string
	for _, s := range list {
		kind := schemeKinds[s.Kind]
		if kind == "" {
			continue
		}
		parts := []string{"Name: " + quote(s.Name), "Kind: " + kind}
		add := func(name, value string) {
			if value != "" {
				parts = append(parts, name+": "+quote(value))
			}
		}
		if s.Kind == schemeAPIKey {
			add("In", s.In)
			add("Param", s.Param)
		}
		add("TokenURL", s.TokenURL)
		if s.ClientCredentials && len(s.Scopes) > 0 {
			parts = append(parts, "Scopes: []string{"+quoted(s.Scopes)+"}")
		}
		if len(s.Env) > 0 {
			parts = append(parts, "Env: []string{"+quoted(s.Env)+"}")
		}
		add("Option", s.Option)
		out = append(out, "{"+strings.Join(parts, ", ")+"}")
	}
	return out
}

func requirements(security [][]plan.SchemeUse) string {
	if len(security) == 0 {
		return ""
	}
	parts := make([]string, len(security))
	for i, set := range security {
		names := make([]string, len(set))
		for j, use := range set {
			names[j] = quote(use.Scheme)
		}
		parts[i] = "{" + strings.Join(names, ", ") + "}"
	}
	return "[]client.Requirement{" + strings.Join(parts, ", ") + "}"
}

type serviceField struct{ Comment, GoName, TypeName, New string }

func serviceFields(services []*plan.Service) []serviceField {
	out := make([]serviceField, len(services))
	for i, s := range services {
		out[i] = serviceField{models.Comment(serviceWords(s), "", "\t"), s.GoName, s.TypeName, newService(s)}
	}
	return out
}

// serviceWords is what a service is about, without its name, which stands beside.
func serviceWords(s *plan.Service) string {
	return upper(firstSentence(withoutName(s.TypeName, s.Doc)))
}

func newService(s *plan.Service) string {
	parts := make([]string, 1, 1+len(s.Children))
	parts[0] = "core: core"
	for _, child := range s.Children {
		parts = append(parts, child.GoName+": "+newService(child))
	}
	return "&" + s.TypeName + "{" + strings.Join(parts, ", ") + "}"
}

// allOwnServers tells that every operation names servers of its own.
func (r *renderer) allOwnServers() bool {
	for _, ref := range r.methods {
		if len(ref.Servers) == 0 {
			return false
		}
	}
	return len(r.methods) > 0
}

// newDoc is the comment of New.
func (r *renderer) newDoc() string {
	return "New makes a client and sends nothing. " + r.configDoc() + " Options win over the environment. " +
		"The error names an option that is not for a client or has an unfit value, or says that there is no base URL."
}

// configDoc tells where a client's configuration comes from.
func (r *renderer) configDoc() string {
	if r.plan.EnvPrefix == "" {
		return "It sends to the API's first server."
	}
	suffix := ""
	if len(r.plan.Servers) == 0 && !r.allOwnServers() {
		suffix = " The API names no server: set " + r.plan.EnvPrefix + "_BASE_URL or use [WithBaseURL]."
	}
	names := []string{r.plan.EnvPrefix + "_BASE_URL"}
	for _, s := range r.plan.Schemes {
		for _, env := range s.Env {
			if !slices.Contains(names, env) {
				names = append(names, env)
			}
		}
	}
	return "It reads " + strings.Join(names, ", ") + " from the environment." + suffix
}

func upper(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func firstSentence(doc string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	if i := strings.Index(line, ". "); i > 0 {
		return line[:i+1]
	}
	return line
}

// commonErrors is the set of error answers that most operations declare, which becomes the API's own.
func (r *renderer) commonErrors() []*plan.ErrorResponse {
	counts := map[string]int{}
	sets := map[string][]*plan.ErrorResponse{}
	best := ""
	for s := range r.plan.All() {
		for _, m := range s.Methods {
			key := r.errorCases(m.Errors)
			if key == "" {
				continue
			}
			counts[key]++
			sets[key] = m.Errors
			if counts[key] > counts[best] || counts[key] == counts[best] && key < best {
				best = key
			}
		}
	}
	return sets[best]
}

// errorCases prints error answers; "" when there is none.
func (r *renderer) errorCases(list []*plan.ErrorResponse) string {
	rest := "" // what the default says need not be said again
	for _, e := range list {
		if e.Status == "default" {
			rest = e.Type
		}
	}
	parts := make([]string, 0, len(list))
	for _, e := range list {
		if t := r.types[e.Type]; t == nil || !t.IsError || e.Type == rest && e.Status != "default" {
			continue
		}
		parts = append(parts, fmt.Sprintf("{Status: %s, New: new%s}", quote(e.Status), e.Type))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[]client.ErrorCase{" + strings.Join(parts, ", ") + "}"
}
