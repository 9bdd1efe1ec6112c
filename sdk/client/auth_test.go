package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func TestCredentials(t *testing.T) {
	schemes := []client.Scheme{
		{Name: "bearer", Kind: client.Bearer},
		{Name: "basic", Kind: client.Basic},
		{Name: "header", Kind: client.APIKey, In: "header", Param: "X-Api-Key"},
		{Name: "query", Kind: client.APIKey, In: "query", Param: "api key"},
		{Name: "cookie", Kind: client.APIKey, In: "cookie", Param: "sid"},
	}
	all := []client.Option{
		client.WithSecret("bearer", "tok"), client.WithBasic("basic", "u", "p"), client.WithSecret("header", "h"),
		client.WithSecret("query", "q&"), client.WithSecret("cookie", "c"),
	}
	tests := []struct {
		name     string
		security []client.Requirement
		opts     []client.Option
		want     string
	}{
		{"bearer", []client.Requirement{{"bearer"}}, all, "auth=Bearer tok"},
		{"basic", []client.Requirement{{"basic"}}, all, "auth=Basic dTpw"},
		{"header", []client.Requirement{{"header"}}, all, "key=h"},
		{"query", []client.Requirement{{"query"}}, all, "q=q&"},
		{"cookie", []client.Requirement{{"cookie"}}, all, "cookie=sid=c"},
		{"and", []client.Requirement{{"header", "cookie"}}, all, "key=h cookie=sid=c"},
		{"or takes what is there", []client.Requirement{{"bearer"}, {"header"}}, []client.Option{client.WithSecret("header", "h")}, "key=h"},
		{"or does not mix", []client.Requirement{{"bearer", "cookie"}, {"header"}}, []client.Option{client.WithSecret("header", "h"), client.WithSecret("cookie", "c")}, "key=h"},
		{"none", []client.Requirement{}, all, ""},
		{"optional and there", []client.Requirement{{}, {"header"}}, all, "key=h"},
		{"optional and not there", []client.Requirement{{"header"}, {}}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := api()
			a.Schemes, a.Security = schemes, []client.Requirement{{"bearer"}}
			op := opDelete
			op.Security = tt.security
			c := serve(t, a, func(w http.ResponseWriter, r *http.Request) {
				var got []string
				for _, v := range []struct{ name, value string }{
					{"auth", r.Header.Get("Authorization")},
					{"key", r.Header.Get("X-Api-Key")},
					{"q", r.URL.Query().Get("api key")},
					{"cookie", r.Header.Get("Cookie")},
				} {
					if v.value != "" {
						got = append(got, v.name+"="+v.value)
					}
				}
				if s := strings.Join(got, " "); s != tt.want {
					t.Errorf("got %q, want %q", s, tt.want)
				}
			}, tt.opts...)
			if err := c.Exec(t.Context(), &op, client.Input{Path: []any{"a"}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNoCredentialsHint(t *testing.T) {
	a := api(client.Scheme{Name: "bearer", Kind: client.Bearer, Option: "WithBearerToken"})
	c := serve(t, a, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "no credentials were sent: use WithBearerToken") {
		t.Error(err)
	}
}

func TestCredentialsStayOutOfErrors(t *testing.T) {
	c := serve(t, api(client.Scheme{Name: "bearer", Kind: client.Bearer}), func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 403, "application/json", `{"message":"key sk_live_1 is not allowed"}`)
	}, client.WithSecret("bearer", "sk_live_1"))
	err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil)
	if err == nil || strings.Contains(err.Error(), "sk_live_1") {
		t.Error(err)
	}
	if s := fmt.Sprintf("%v %+v %#v", client.Token{Value: "x1y"}, client.Token{Value: "x1y"}, client.Token{Value: "x1y"}); strings.Contains(s, "x1y") {
		t.Error(s)
	}
}

func TestRefreshIsSingleFlight(t *testing.T) {
	var fetched atomic.Int32
	source := func(context.Context) (client.Token, error) {
		return client.Token{Value: fmt.Sprint("t", fetched.Add(1))}, nil
	}
	c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer t1" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}, client.WithTokenSource("b", source))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := fetched.Load(); n != 2 {
		t.Errorf("%d tokens fetched, want 2", n)
	}
}

// One option may configure several clients, each of which has a token of its own.
func TestTokensAreNotShared(t *testing.T) {
	var fetched atomic.Int32
	source := client.WithTokenSource("b", func(context.Context) (client.Token, error) {
		return client.Token{Value: fmt.Sprint("token-", fetched.Add(1))}, nil
	})
	for i := range 2 {
		c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(w http.ResponseWriter, r *http.Request) {
			answer(w, 403, "application/json", `{"message":"`+r.Header.Get("Authorization")+` is not for you"}`)
		}, source)
		for range 2 {
			err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil)
			if err == nil || strings.Contains(err.Error(), "token-") || !strings.Contains(err.Error(), "is not for you") {
				t.Error(err)
			}
		}
		if n := int(fetched.Load()); n != i+1 {
			t.Errorf("%d tokens for %d clients", n, i+1)
		}
	}
}

func TestStill401AfterRefresh(t *testing.T) {
	var sent atomic.Int32
	c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}, client.WithTokenSource("b", func(context.Context) (client.Token, error) { return client.Token{Value: "t"}, nil }))
	err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil)
	var e *client.Error
	if !errors.As(err, &e) || e.StatusCode != 401 || sent.Load() != 2 {
		t.Errorf("%v after %d", err, sent.Load())
	}
}

func TestClientCredentials(t *testing.T) {
	for _, basicAuth := range []bool{true, false} {
		t.Run(fmt.Sprint("basic ", basicAuth), func(t *testing.T) {
			tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id, secret, ok := r.BasicAuth()
				if !ok {
					id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
				}
				if ok != basicAuth || id != "me" || secret != "s3" || r.FormValue("scope") != "a b" || r.FormValue("grant_type") != "client_credentials" {
					answer(w, 401, "application/json", `{"error":"invalid_client"}`)
					return
				}
				answer(w, 200, "application/json", `{"access_token":"T","expires_in":3600,"token_type":"bearer"}`)
			}))
			defer tokens.Close()
			c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer T" {
					w.WriteHeader(http.StatusForbidden)
				}
			}, client.WithClientCredentials("b", tokens.URL, "me", "s3", "a", "b"))
			if err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRelativeTokenURL(t *testing.T) {
	for _, tt := range []struct{ base, tokenURL, want string }{
		{"", "/oauth2/token", "/oauth2/token"},
		{"/api/v1", "/oauth2/token", "/oauth2/token"},
		{"/api/v1", "oauth2/token?a=b", "/api/v1/oauth2/token?a=b"},
		{"/api/v1/", "", "/api/v1"},
		{"", "", "/"},
	} {
		for _, perCall := range []bool{false, true} {
			t.Run(fmt.Sprintf("%q below %q, option of a call %v", tt.tokenURL, tt.base, perCall), func(t *testing.T) {
				asked := ""
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						asked = r.URL.String()
						answer(w, 200, "application/json", `{"access_token":"T"}`)
					} else if r.Header.Get("Authorization") != "Bearer T" {
						w.WriteHeader(http.StatusForbidden)
					}
				}))
				defer server.Close()
				opts := []client.Option{client.WithClientCredentials("b", tt.tokenURL, "me", "s3")}
				forCall, forNew := opts, []client.Option(nil)
				if !perCall {
					forCall, forNew = nil, opts
				}
				c, err := client.New(api(client.Scheme{Name: "b", Kind: client.OAuth2}),
					append(forNew, client.WithEnv(nil), client.WithBaseURL(server.URL+tt.base))...)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, forCall); err != nil || asked != tt.want {
					t.Errorf("asked %q, want %q: %v", asked, tt.want, err)
				}
			})
		}
	}
}

func TestRedirects(t *testing.T) {
	var there http.Header
	var method, body string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		there, method = r.Header.Clone(), r.Method
		buf := make([]byte, 64)
		n, _ := r.Body.Read(buf)
		body = string(buf[:n])
		answer(w, 200, "application/json", `{"id":"x"}`)
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		status int
		method string
		key    bool
		body   string
	}{
		{307, "POST", true, `{"id":"","total":5}`},
		{308, "POST", true, `{"id":"","total":5}`},
		{303, "GET", false, ""},
		{302, "GET", false, ""},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			a := api(client.Scheme{Name: "h", Kind: client.APIKey, In: "header", Param: "X-Api-Key"})
			a.Schemes = append(a.Schemes, client.Scheme{Name: "q", Kind: client.APIKey, In: "query", Param: "key"})
			a.Security = []client.Requirement{{"h", "q"}}
			c := serve(t, a, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere+"/x", tt.status)
			}, client.WithSecret("h", "s3cret"), client.WithSecret("q", "s3cret"))
			if _, err := client.Do[*order](t.Context(), c, &opCreate, client.Input{Body: &order{Total: 5}}, nil); err != nil {
				t.Fatal(err)
			}
			if method != tt.method || body != tt.body || (there.Get("Idempotency-Key") != "") != tt.key {
				t.Errorf("%s %q %v", method, body, there)
			}
			if strings.Contains(fmt.Sprint(there), "s3cret") {
				t.Errorf("credential went along: %v", there)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	a := api(client.Scheme{Name: "b", Kind: client.Bearer, Env: []string{"SHOP_TOKEN"}})
	a.Servers = []client.Server{{
		URL:       "https://{region}.shop.example/v1",
		Variables: []client.Variable{{Name: "region", Default: "eu", Enum: []string{"eu", "us"}}},
	}}
	dry := func(opts ...client.Option) (*http.Request, error) {
		c, err := client.New(a, opts...)
		if err != nil {
			return nil, err
		}
		var req *http.Request
		_ = c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, []client.Option{client.WithDryRun(&req)})
		return req, nil
	}
	env := func(values map[string]string) client.Option {
		return client.WithEnv(func(name string) string { return values[name] })
	}
	tests := []struct {
		name, url, auth string
		opts            []client.Option
	}{
		{"default", "https://eu.shop.example/v1/orders/a", "", []client.Option{env(nil)}},
		{"variable", "https://us.shop.example/v1/orders/a", "", []client.Option{env(nil), client.WithServerVariable("region", "us")}},
		{"environment", "http://local:8080/api/orders/a", "Bearer T", []client.Option{env(map[string]string{"SHOP_BASE_URL": "http://local:8080/api/", "SHOP_TOKEN": "T"})}},
		{"option wins", "http://other/orders/a", "Bearer O", []client.Option{
			env(map[string]string{"SHOP_BASE_URL": "http://local", "SHOP_TOKEN": "T"}), client.WithBaseURL("http://other"), client.WithSecret("b", "O"),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := dry(tt.opts...)
			if err != nil {
				t.Fatal(err)
			}
			if req.URL.String() != tt.url || req.Header.Get("Authorization") != tt.auth {
				t.Errorf("%s %v", req.URL, req.Header)
			}
		})
	}
	for name, opts := range map[string][]client.Option{
		"enum":         {client.WithServerVariable("region", "moon")},
		"no scheme":    {client.WithBaseURL("shop.example")},
		"key for all":  {client.WithIdempotencyKey("k")},
		"info for all": {client.WithResponse(&client.ResponseInfo{})},
	} {
		if _, err := client.New(a, append(opts, client.WithEnv(nil))...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	a.Servers = []client.Server{{URL: "/v1"}}
	for _, servers := range [][]client.Server{a.Servers, {{URL: ""}}, nil} {
		a.Servers = servers
		for prefix, want := range map[string]string{"SHOP": "use WithBaseURL or set SHOP_BASE_URL", "": "use WithBaseURL"} {
			a.EnvPrefix = prefix
			if _, err := client.New(a, client.WithEnv(nil)); err == nil || !strings.HasSuffix(err.Error(), ": no base URL: "+want) {
				t.Error(err)
			}
		}
	}
}

func TestServersOfOperationsAlone(t *testing.T) {
	a := api()
	a.Servers, a.OwnServers, a.EnvPrefix = nil, true, "SHOP"
	c, err := client.New(a, client.WithEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]string{"https://files.shop.example": "https://files.shop.example/files", "/relative": ""} {
		op := client.Operation{Call: transport.Operation{ID: "upload", Method: "GET", Path: "/files"}, Servers: []client.Server{{URL: server}}}
		var req *http.Request
		err := c.Exec(t.Context(), &op, client.Input{}, []client.Option{client.WithDryRun(&req)})
		if want == "" && strings.Contains(fmt.Sprint(err), "use WithBaseURL or set SHOP_BASE_URL") {
			continue
		}
		if req == nil || req.URL.String() != want {
			t.Errorf("%s: %v %v", server, req, err)
		}
	}
}

func TestServersOfAnOperation(t *testing.T) {
	a := api()
	a.Servers = []client.Server{{URL: "https://api.shop.example"}}
	op := client.Operation{
		Call:    transport.Operation{ID: "upload", Method: "GET", Path: "/files"},
		Servers: []client.Server{{URL: "https://files.shop.example/v2"}},
	}
	for base, want := range map[string]string{"": "https://files.shop.example/v2/files", "http://localhost:1": "http://localhost:1/files"} {
		c, err := client.New(a, client.WithEnv(nil), client.WithBaseURL(base))
		if err != nil {
			t.Fatal(err)
		}
		var req *http.Request
		_ = c.Exec(t.Context(), &op, client.Input{}, []client.Option{client.WithDryRun(&req)})
		if req.URL.String() != want {
			t.Errorf("%q: %s", base, req.URL)
		}
	}
}
