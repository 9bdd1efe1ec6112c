package plan

import (
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// security reads what the document demands of every operation.
func (b *builder) security() {
	b.plan.Security = b.requirement(b.doc.Root.Get("security"))
}

func (b *builder) requirement(n *spec.Node) [][]SchemeUse {
	if !n.IsArray() {
		return nil
	}
	out := [][]SchemeUse{}
	for _, alternative := range n.Items {
		set := []SchemeUse{}
		known := true
		for _, m := range alternative.All() {
			if !b.doc.Root.At("components", "securitySchemes").Has(m.Key) {
				b.warnOncef(m.Value, "security", "the security scheme %q is not declared; it is left out", m.Key)
				known = false
				continue
			}
			set = append(set, SchemeUse{Scheme: m.Key, Scopes: texts(m.Value.List())})
		}
		slices.SortFunc(set, func(x, y SchemeUse) int { return strings.Compare(x.Scheme, y.Scheme) })
		if known || len(set) > 0 {
			out = append(out, set)
		}
	}
	return out
}

func (b *builder) methodSecurity(o *operation) {
	if n := o.Node.Get("security"); n.IsArray() {
		o.method.Security = b.requirement(n)
		o.method.HasSecurity = true
	}
}

// runtimeOptions are the options that every package has; a scheme's option takes none of their names.
var runtimeOptions = []string{
	"WithSecret", "WithBasic", "WithTokenSource", "WithBaseURL", "WithServerVariable", "WithHTTPClient", "WithTransport", "WithEnv",
	"WithHeader", "WithQuery", "WithUserAgent", "WithMiddleware", "WithAttemptMiddleware", "WithResponse", "WithDryRun",
	"WithUploadProgress", "WithIdempotencyKey", "WithKeySource", "WithMaxAttempts", "WithDeadline", "WithAttemptTimeout",
	"WithBackoff", "WithBudget", "WithRetryAfterLimit", "WithLogger", "WithHook", "WithTransportOptions", "WithRefresh",
}

// schemes lists the security schemes that some operation uses, each with the option that sets its credentials.
func (b *builder) schemes() {
	used := map[string]bool{}
	note := func(security [][]SchemeUse) {
		for _, set := range security {
			for _, use := range set {
				used[use.Scheme] = true
			}
		}
	}
	note(b.plan.Security)
	for _, o := range b.ops {
		note(o.method.Security)
	}
	options := newScope(runtimeOptions...)
	env := newScope()
	for _, m := range b.doc.Root.At("components", "securitySchemes").All() {
		if !used[m.Key] {
			continue
		}
		n := m.Value.Deref()
		s := &Scheme{
			Name: m.Key, GoName: exported(m.Key, "Scheme"), Kind: n.Str("type"), In: n.Str("in"), Param: n.Str("name"),
			Description: docText(n.Str("description")),
		}
		b.scheme(s, n)
		s.Option = options.take(s.Option, "With"+s.GoName, "With"+s.GoName+"Credentials")
		options.taken[s.Option+"Source"] = true
		for i, name := range s.Env {
			s.Env[i] = env.take(b.plan.EnvPrefix+"_"+name, b.plan.EnvPrefix+"_"+constantCase(m.Key)+"_"+name)
		}
		b.plan.Schemes = append(b.plan.Schemes, s)
	}
}

func (b *builder) scheme(s *Scheme, n *spec.Node) {
	switch s.Kind {
	case "http":
		if strings.EqualFold(n.Str("scheme"), "basic") {
			s.Kind, s.Option, s.Env = "basic", "WithBasicAuth", []string{"USERNAME", "PASSWORD"}
			return
		}
		s.Kind, s.Option, s.Env = "bearer", "WithBearerToken", []string{"TOKEN"}
	case "apiKey":
		s.Option, s.Env = "WithAPIKey", []string{"API_KEY"}
		if strings.EqualFold(s.Param, "Authorization") && strings.Contains(strings.ToLower(s.Description), "bearer") && s.In == "header" {
			s.Kind, s.Option, s.Env = "bearer", "WithBearerToken", []string{"TOKEN"}
		}
	case "oauth2":
		flow := n.At("flows", "clientCredentials")
		s.ClientCredentials = flow.IsObject()
		s.TokenURL = strings.TrimSpace(flow.Str("tokenUrl"))
		s.RefreshURL = refreshURL(n)
		for _, scope := range flow.Get("scopes").All() {
			s.Scopes = append(s.Scopes, scope.Key)
		}
		s.Option, s.Env = "WithAccessToken", []string{"TOKEN"}
		if s.ClientCredentials {
			s.Option, s.Env = "WithClientCredentials", []string{"CLIENT_ID", "CLIENT_SECRET"}
		}
	case "openIdConnect":
		s.Option, s.Env = "WithAccessToken", []string{"TOKEN"}
	case "mutualTLS":
		s.Option = "With" + s.GoName
	default:
		b.warnOncef(n, "security", "the security scheme %q is of a type that OpenAPI does not know; a bearer token is assumed", s.Name)
		s.Kind, s.Option, s.Env = "bearer", "WithBearerToken", []string{"TOKEN"}
	}
}

// refreshURL is where a refresh token gives an access token: what a flow with such tokens says, else its token endpoint
// (RFC 6749 section 6). It is "" when no flow gives refresh tokens.
func refreshURL(n *spec.Node) string {
	for _, name := range []string{"authorizationCode", "password"} {
		flow := n.At("flows", name)
		if !flow.IsObject() {
			continue
		}
		if address := strings.TrimSpace(flow.Str("refreshUrl")); address != "" {
			return address
		}
		if address := strings.TrimSpace(flow.Str("tokenUrl")); address != "" {
			return address
		}
	}
	return ""
}

func constantCase(name string) string {
	list := words(name)
	for i, w := range list {
		list[i] = strings.ToUpper(asciiOnly(w))
	}
	return strings.Join(list, "_")
}

// warnOncef adds a warning of the document, the same one only once.
func (b *builder) warnOncef(at *spec.Node, code, format string, args ...any) {
	d := spec.Errorf(at.Pos(), code, format, args...).Diagnostics[0]
	for _, old := range b.doc.Diagnostics {
		if old.Code == code && old.Message == d.Message {
			return
		}
	}
	b.doc.Diagnostics = append(b.doc.Diagnostics, d)
}
