package client

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// opRefresh is not sent again after an unknown outcome: a server that gives a new refresh token each time may take the
// old one for stolen when it comes twice (RFC 9700 section 4.14).
var opRefresh = transport.Operation{ID: "token", Method: http.MethodPost, Idempotency: transport.NotIdempotent}

// WithRefreshToken gets access tokens for a refresh token (RFC 6749 section 6) from tokenURL, which may be relative as
// that of [WithClientCredentials]. An empty secret is that of a public client. Where the server gives a new refresh token
// with an access token, it takes the place of the old one, and kept, which may be nil, is called with it before the access
// token is used: store it, or a program that is started again has none. Calls of kept never overlap. It is for New only.
func WithRefreshToken(scheme, tokenURL, id, secret, refreshToken string, kept func(refreshToken string)) Option {
	return optionFunc(func(s *settings) {
		if s.clientOnly("WithRefreshToken") {
			grant := &refreshGrant{tokenURL: tokenURL, id: id, secret: secret, refresh: refreshToken, kept: kept}
			s.setCredential(scheme, newToken(grant.fetch, secret, refreshToken))
		}
	})
}

// refreshGrant holds the newest refresh token.
type refreshGrant struct {
	tokenURL, id, secret string
	kept                 func(string)

	mu      sync.Mutex
	refresh string
}

func (g *refreshGrant) fetch(ctx context.Context, by route) (Token, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	address, err := by.resolve(g.tokenURL)
	if err != nil {
		return Token{}, err
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.refresh}}
	sign := basicAuth(g.id, g.secret)
	if g.secret == "" {
		form.Set("client_id", g.id)
		sign = unsigned
	}
	token, next, status, err := requestToken(ctx, by.rt, &opRefresh, address, form, sign)
	if status == http.StatusUnauthorized && g.secret != "" { // the client's credentials belong into the form
		form.Set("client_id", g.id)
		form.Set("client_secret", g.secret)
		token, next, _, err = requestToken(ctx, by.rt, &opRefresh, address, form, unsigned)
	}
	if err != nil {
		return Token{}, err
	}
	if next != "" && next != g.refresh {
		g.refresh = next
		if g.kept != nil {
			g.kept(next)
		}
	}
	return token, nil
}
