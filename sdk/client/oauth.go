package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// Token is an access token. A zero Expires means that it is used until the server answers 401.
type Token struct {
	Value   string
	Expires time.Time
}

// String hides the token.
func (t Token) String() string { return "[token]" }

// GoString hides the token.
func (t Token) GoString() string { return "[token]" }

// TokenSource gets a new token. It is called once at a time, when there is no token, when the last one is about to
// expire, and after a 401; wrap a golang.org/x/oauth2 source in one to use it here.
type TokenSource func(ctx context.Context) (Token, error)

// WithTokenSource presents tokens from source as bearer tokens for a scheme.
func WithTokenSource(scheme string, source TokenSource) Option {
	return withTokens(scheme, func(ctx context.Context, _ route) (Token, error) { return source(ctx) })
}

// WithClientCredentials gets tokens by the client credentials grant (RFC 6749 section 4.4) from tokenURL. A relative one
// is below the client's base URL, or at its host when it begins with a slash; an empty one is the base URL itself.
func WithClientCredentials(scheme, tokenURL, id, secret string, scopes ...string) Option {
	return withTokens(scheme, clientCredentials(tokenURL, id, secret, scopes), secret)
}

// withTokens gives each client a token of its own, also when one option is handed to several.
func withTokens(scheme string, fetch fetchToken, hidden ...string) Option {
	return optionFunc(func(s *settings) { s.setCredential(scheme, newToken(fetch, hidden...)) })
}

type fetchToken func(ctx context.Context, by route) (Token, error)

// route is how a token request leaves: through the transport of the client's calls, and where a relative token URL is.
type route struct {
	rt   http.RoundTripper
	base string
}

// resolve gives the address of a token URL (RFC 3986 section 5.2; the base URL stands for a folder).
func (r route) resolve(tokenURL string) (string, error) {
	u, err := url.Parse(tokenURL)
	if err != nil {
		return "", errors.New("the token URL is not a URL")
	}
	if u.IsAbs() {
		return tokenURL, nil
	}
	base, err := url.Parse(r.base)
	if err != nil || !base.IsAbs() {
		return "", fmt.Errorf("the token URL %q is relative and there is no base URL", tokenURL)
	}
	if tokenURL == "" {
		return r.base, nil
	}
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/")+"/", ""
	return base.ResolveReference(u).String(), nil
}

// tokenCredential keeps one token and renews it single-flight: calls that need a new one wait for the one that asks.
type tokenCredential struct {
	fetch  fetchToken
	hidden []string
	turn   chan struct{} // holds one element while nobody asks for a token
	token  Token
	by     route
}

func newToken(fetch fetchToken, hidden ...string) *tokenCredential {
	t := &tokenCredential{fetch: fetch, hidden: hidden, turn: make(chan struct{}, 1), by: route{rt: http.DefaultTransport}}
	t.turn <- struct{}{}
	return t
}

func (t *tokenCredential) secrets() []string {
	select {
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
		return append(slices.Clip(t.hidden), t.token.Value)
	default: // somebody asks for a token, which no answer can have in it yet
		return t.hidden
	}
}

// bind makes token requests go the way of the client's calls. It comes before the first of them.
func (t *tokenCredential) bind(by route) { t.by = by }

func (t *tokenCredential) present(ctx context.Context, scheme *Scheme, req *http.Request) error {
	value, err := t.get(ctx, "")
	if err != nil {
		return fmt.Errorf("no token for %s: %w", scheme.Name, err)
	}
	req.Header.Set("Authorization", "Bearer "+value)
	return nil
}

// refreshAhead is how long before its end a token is renewed, so that it does not end on the way.
const refreshAhead = 30 * time.Second

// get gives a token that is not stale; stale is the one that the server has just refused.
func (t *tokenCredential) get(ctx context.Context, stale string) (string, error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { t.turn <- struct{}{} }()
	fresh := t.token.Expires.IsZero() || time.Until(t.token.Expires) > refreshAhead
	if t.token.Value != "" && t.token.Value != stale && fresh {
		return t.token.Value, nil
	}
	token, err := t.fetch(ctx, t.by)
	if err != nil {
		return "", err
	}
	if token.Value == "" {
		return "", errors.New("the token source gave an empty token")
	}
	t.token = token
	return token.Value, nil
}

// refresh is the hook of the transport for a 401: it renews the token that the request carried.
func (s *settings) refresh(alternatives []Requirement) func(context.Context, *http.Request, *http.Response) (bool, error) {
	for _, alternative := range alternatives {
		if !s.has(alternative) {
			continue
		}
		for _, name := range alternative {
			if t, ok := s.credentials[name].(*tokenCredential); ok {
				return t.renew
			}
		}
		return nil
	}
	return nil
}

func (t *tokenCredential) renew(ctx context.Context, req *http.Request, _ *http.Response) (bool, error) {
	stale, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !ok { // a redirect to another host has taken it off
		return false, nil
	}
	value, err := t.get(ctx, stale)
	if err != nil {
		return false, err
	}
	req.Header.Set("Authorization", "Bearer "+value)
	return true, nil
}

var opToken = transport.Operation{ID: "token", Method: http.MethodPost, Idempotency: transport.Idempotent}

// clientCredentials asks for a token with HTTP basic authentication, and with the credentials in the form when the
// server does not take that (both are in RFC 6749 section 2.3.1).
func clientCredentials(tokenURL, id, secret string, scopes []string) fetchToken {
	return func(ctx context.Context, by route) (Token, error) {
		address, err := by.resolve(tokenURL)
		if err != nil {
			return Token{}, err
		}
		form := url.Values{"grant_type": {"client_credentials"}}
		if len(scopes) > 0 {
			form.Set("scope", strings.Join(scopes, " "))
		}
		token, _, status, err := requestToken(ctx, by.rt, &opToken, address, form, basicAuth(id, secret))
		if status == http.StatusBadRequest || status == http.StatusUnauthorized {
			form.Set("client_id", id)
			form.Set("client_secret", secret)
			token, _, _, err = requestToken(ctx, by.rt, &opToken, address, form, unsigned)
		}
		return token, err
	}
}

// basicAuth sends the client's credentials in the header, in the form of RFC 6749 section 2.3.1.
func basicAuth(id, secret string) func(*http.Request) {
	return func(req *http.Request) { req.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret)) }
}

// unsigned is for a form that holds the credentials, or a public client.
func unsigned(*http.Request) {}

// requestToken makes one request to a token endpoint. It gives the access token, the refresh token that came with it,
// and the status.
func requestToken(ctx context.Context, rt http.RoundTripper, op *transport.Operation, address string, form url.Values, sign func(*http.Request)) (Token, string, int, error) {
	ctx = transport.WithCall(ctx, transport.WithOperation(op), transport.WithRefresh(nil))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return Token{}, "", 0, errors.New("the token URL is not a URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	sign(req)
	asked := time.Now()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return Token{}, "", 0, err
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken  string      `json:"access_token"`
		RefreshToken string      `json:"refresh_token"`
		ExpiresIn    json.Number `json:"expires_in"`
		Error        string      `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer)
	switch {
	case resp.StatusCode != http.StatusOK:
		return Token{}, "", resp.StatusCode, fmt.Errorf("the token endpoint answered %d %s", resp.StatusCode, answer.Error)
	case err != nil || answer.AccessToken == "":
		return Token{}, "", resp.StatusCode, errors.New("the token endpoint's answer has no access_token")
	}
	token := Token{Value: answer.AccessToken}
	if seconds, err := answer.ExpiresIn.Int64(); err == nil && seconds > 0 {
		token.Expires = asked.Add(time.Duration(seconds) * time.Second)
	}
	return token, answer.RefreshToken, resp.StatusCode, nil
}
