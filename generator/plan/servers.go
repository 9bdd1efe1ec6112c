package plan

import (
	"net/url"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// servers reads a list of servers; named ones get a constant.
func (b *builder) servers(list *spec.Node, named bool) []*Server {
	var out []*Server
	for i, n := range list.List() {
		address := strings.TrimSpace(n.Str("url"))
		if address == "" {
			continue
		}
		s := &Server{URL: address, Description: docText(n.Str("description"))}
		for _, m := range n.Get("variables").All() {
			s.Variables = append(s.Variables, &ServerVariable{
				Name: m.Key, GoName: exported(m.Key, "Variable"), Default: m.Value.Str("default"),
				Description: docText(m.Value.Str("description")), Enum: texts(m.Value.Get("enum").List()),
			})
		}
		b.undeclaredVariables(s, n)
		if named {
			name := "Server" + serverName(s)
			s.Name = b.global.take(name, "Server"+itoa(i+1))
			b.note("/servers/"+itoa(i), "server", s.Name)
		}
		out = append(out, s)
	}
	return out
}

// undeclaredVariables gives variables of the URL that are not declared an empty default, so that the caller has to set them.
func (b *builder) undeclaredVariables(s *Server, n *spec.Node) {
	rest := s.URL
	for {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return
		}
		name, tail, _ := strings.Cut(after, "}")
		rest = tail
		known := false
		for _, v := range s.Variables {
			known = known || v.Name == name
		}
		if !known && name != "" {
			b.warnOncef(n, "server-variable", "the server %s does not declare its variable %q; it has no default", s.URL, name)
			s.Variables = append(s.Variables, &ServerVariable{Name: name, GoName: exported(name, "Variable")})
		}
	}
}

var environments = []string{
	"production", "sandbox", "staging", "development", "test", "live", "demo", "local", "mock", "preview", "beta", "europe", "eu", "us", "canary", "qa",
}

// serverName names a server by its description or, when that is a sentence, by its host.
func serverName(s *Server) string {
	text, _, _ := strings.Cut(s.Description, "\n")
	if i := strings.IndexAny(text, ".,;:(–-"); i > 0 {
		text = text[:i]
	}
	list := words(text)
	if len(list) > 0 && len(list) <= 3 {
		kept := list[:0:0]
		for _, w := range list {
			if lower := strings.ToLower(w); lower != "server" && lower != "api" && lower != "environment" && lower != "the" {
				kept = append(kept, w)
			}
		}
		if len(kept) > 0 && !strings.HasPrefix(text, "http") {
			return pascal(strings.Join(kept, " "))
		}
	}
	for _, source := range []string{text, s.URL} {
		for _, w := range words(strings.ToLower(source)) {
			if slices.Contains(environments, w) {
				return pascal(w)
			}
		}
	}
	if u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(s.URL)); err == nil && u.Host != "" {
		host, _, _ := strings.Cut(u.Hostname(), ".")
		if name := pascal(host); name != "" && !beginsWithDigit(name) && host != "www" && host != "api" {
			return name
		}
	}
	return "Default"
}
