package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// credential presents itself on a request. Secrets are the texts that must not show in an error.
type credential interface {
	present(ctx context.Context, scheme *Scheme, req *http.Request) error
	secrets() []string
}

func (s *settings) setCredential(scheme string, c credential) {
	s.credentials = maps.Clone(s.credentials)
	if s.credentials == nil {
		s.credentials = map[string]credential{}
	}
	s.credentials[scheme] = c
}

func withCredential(scheme string, c credential) Option {
	return optionFunc(func(s *settings) { s.setCredential(scheme, c) })
}

// WithSecret presents one value for a scheme: a bearer token or an API key.
func WithSecret(scheme, value string) Option { return withCredential(scheme, secret(value)) }

// WithBasic presents user and password for a scheme of HTTP basic authentication (RFC 7617).
func WithBasic(scheme, user, password string) Option {
	return withCredential(scheme, basic{user, password})
}

func envCredential(scheme *Scheme, values []string) credential {
	if slices.Contains(values, "") {
		return nil
	}
	switch {
	case scheme.Kind == Basic && len(values) == 2:
		return basic{values[0], values[1]}
	case scheme.Kind == OAuth2 && len(values) == 2:
		return newToken(clientCredentials(scheme.TokenURL, values[0], values[1], scheme.Scopes), values[1])
	case len(values) == 1:
		return secret(values[0])
	}
	return nil
}

type secret string

func (v secret) secrets() []string { return []string{string(v)} }

func (v secret) present(_ context.Context, scheme *Scheme, req *http.Request) error {
	value := string(v)
	if strings.ContainsAny(value, "\r\n\x00") {
		return fmt.Errorf("the credential for %s has a line break: trim what was read from a file", scheme.Name)
	}
	switch {
	case scheme.Kind != APIKey:
		req.Header.Set("Authorization", "Bearer "+value)
	case scheme.In == "query":
		if req.URL.Query().Has(scheme.Param) { // a server's link has it already
			return nil
		}
		addQuery(req.URL, url.QueryEscape(scheme.Param)+"="+url.QueryEscape(value))
	case scheme.In == "cookie":
		addCookie(req, scheme.Param, value)
	default:
		req.Header.Set(scheme.Param, value)
	}
	return nil
}

func addCookie(req *http.Request, name, value string) {
	pair := name + "=" + value
	if have := req.Header.Get("Cookie"); have != "" {
		pair = have + "; " + pair
	}
	req.Header.Set("Cookie", pair)
}

type basic struct{ user, password string }

func (b basic) secrets() []string {
	return []string{b.password, base64.StdEncoding.EncodeToString([]byte(b.user + ":" + b.password))}
}

func (b basic) present(_ context.Context, _ *Scheme, req *http.Request) error {
	req.SetBasicAuth(b.user, b.password)
	return nil
}

// authenticate presents the first alternative of the operation's security for which there are credentials, and gives
// back the headers that carry them. Without any the request goes out bare: the server's answer then says what it wants,
// and the error names the options.
func (c *Client) authenticate(ctx context.Context, op *Operation, s *settings, req *http.Request) ([]string, error) {
	for _, alternative := range c.security(op) {
		if !s.has(alternative) {
			continue
		}
		var headers []string
		for _, name := range alternative {
			scheme := c.scheme(name)
			if err := s.credentials[name].present(ctx, scheme, req); err != nil {
				return nil, err
			}
			headers = append(headers, scheme.header())
		}
		return headers, nil
	}
	return nil, nil
}

// header is the header that carries the scheme's credential; "" when none does.
func (v *Scheme) header() string {
	switch {
	case v.Kind != APIKey:
		return "Authorization"
	case v.In == "query":
		return ""
	case v.In == "cookie":
		return "Cookie"
	}
	return v.Param
}

func (c *Client) security(op *Operation) []Requirement {
	if op.Security != nil {
		return op.Security
	}
	return c.api.Security
}

func (c *Client) scheme(name string) *Scheme {
	for i := range c.api.Schemes {
		if c.api.Schemes[i].Name == name {
			return &c.api.Schemes[i]
		}
	}
	return &Scheme{Name: name, Kind: Bearer}
}

func (s *settings) has(alternative Requirement) bool {
	for _, name := range alternative {
		if s.credentials[name] == nil {
			return false
		}
	}
	return len(alternative) > 0
}

// hint names the options that a call without credentials lacks.
func (c *Client) hint(op *Operation, s *settings) string {
	var wanted []string
	for _, alternative := range c.security(op) {
		if s.has(alternative) || len(alternative) == 0 {
			return ""
		}
		for _, name := range alternative {
			if option := c.scheme(name).Option; option != "" && !slices.Contains(wanted, option) {
				wanted = append(wanted, option)
			}
		}
	}
	if wanted == nil {
		return ""
	}
	return "no credentials were sent: use " + strings.Join(wanted, " or ")
}
