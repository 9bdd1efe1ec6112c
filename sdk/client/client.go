package client

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// Client calls one API. It is safe for concurrent use.
type Client struct {
	api    *API
	base   settings
	server string // resolved base URL, "" when only the operations name theirs
	http   *http.Client
	sender *transport.Transport
	agent  string
}

// New makes a client. Configuration comes from the API's record, then from environment variables, then from opts.
func New(api *API, opts ...Option) (*Client, error) {
	c := &Client{api: api, base: settings{env: os.Getenv}}
	for _, o := range opts {
		o.apply(&c.base)
	}
	c.base.fromEnv(api)
	if c.base.err != nil {
		return nil, fmt.Errorf("%s: %w", api.Name, c.base.err)
	}
	server, err := serverURL(api.Servers, &c.base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", api.Name, err)
	}
	if server == "" && !api.OwnServers {
		return nil, fmt.Errorf("%s: %w", api.Name, noBaseURL(api))
	}
	c.server = server
	c.agent = api.Product + " retrysafe/" + Version + " " + strings.Replace(runtime.Version(), "go", "go/", 1)
	user := c.base.client
	if user == nil {
		user = &http.Client{}
	}
	if !c.base.budgetGiven { // calls and the resumption of streams and downloads spend from one bucket
		WithBudget(budget.NewTokenBucket(budget.BucketConfig{})).apply(&c.base)
	}
	c.sender = transport.New(user.Transport, c.base.transport...)
	c.http = &http.Client{Transport: c.sender, Jar: user.Jar, Timeout: user.Timeout, CheckRedirect: redirects(user.CheckRedirect)}
	for _, cred := range c.base.credentials {
		if t, ok := cred.(*tokenCredential); ok {
			t.bind(route{c.sender, c.server})
		}
	}
	return c, nil
}

// CloseIdleConnections closes the connections that no call uses.
func (c *Client) CloseIdleConnections() { c.sender.CloseIdleConnections() }

func noBaseURL(api *API) error {
	if api.EnvPrefix == "" {
		return errors.New("no base URL: use WithBaseURL")
	}
	return errors.New("no base URL: use WithBaseURL or set " + baseURLEnv(api))
}

func baseURLEnv(api *API) string { return api.EnvPrefix + "_BASE_URL" }

// fromEnv fills what no option has set.
func (s *settings) fromEnv(api *API) {
	if api.EnvPrefix == "" {
		return
	}
	if s.baseURL == "" {
		s.baseURL = s.env(baseURLEnv(api))
	}
	for i := range api.Schemes {
		scheme := &api.Schemes[i]
		if s.credentials[scheme.Name] != nil || len(scheme.Env) == 0 {
			continue
		}
		values := make([]string, len(scheme.Env))
		for n, name := range scheme.Env {
			values[n] = s.env(name)
		}
		if cred := envCredential(scheme, values); cred != nil {
			s.setCredential(scheme.Name, cred)
		}
	}
}

// forCall is a copy of the client's settings with a call's options on top.
func (c *Client) settings(opts []Option) (*settings, error) {
	s := c.base
	s.forCall, s.transport = true, nil
	for _, o := range opts {
		o.apply(&s)
	}
	if len(opts) == 0 {
		return &s, s.err
	}
	for name, cred := range s.credentials { // those of this call alone
		if t, ok := cred.(*tokenCredential); ok && cred != c.base.credentials[name] {
			t.bind(route{c.sender, c.server})
		}
	}
	return &s, s.err
}

// serverURL is the base URL that applies among servers.
func serverURL(servers []Server, s *settings) (string, error) {
	server := Server{URL: s.baseURL}
	if s.baseURL == "" && len(servers) > 0 {
		server = servers[0]
	}
	for _, known := range servers {
		if known.URL == s.baseURL {
			server = known
		}
	}
	expanded, err := server.expand(s.variables)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(expanded, "/") || expanded == "" {
		return "", nil // relative to where the document was read: nothing to go by
	}
	if !strings.Contains(expanded, "://") {
		return "", errors.New("base URL " + expanded + " has no scheme: write https://...")
	}
	return strings.TrimRight(expanded, "/"), nil
}

func (v Server) expand(set map[string]string) (string, error) {
	out := v.URL
	for _, variable := range v.Variables {
		value, given := set[variable.Name]
		if !given {
			value = variable.Default
		}
		if given && !variable.allows(value) {
			return "", fmt.Errorf("server variable %s may not be %q: one of %s", variable.Name, value, strings.Join(variable.Enum, ", "))
		}
		out = strings.ReplaceAll(out, "{"+variable.Name+"}", value)
	}
	for name, value := range set {
		out = strings.ReplaceAll(out, "{"+name+"}", value)
	}
	return out, nil
}

func (v Variable) allows(value string) bool {
	return len(v.Enum) == 0 || slices.Contains(v.Enum, value)
}
