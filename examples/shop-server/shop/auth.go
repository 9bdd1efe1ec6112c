package shop

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// tokens are those that POST /oauth/token gave out, with how often each was used.
type tokens struct {
	mu     sync.Mutex
	issued int
	uses   map[string]int
}

// issueToken serves the client credentials grant, RFC 6749 section 4.4. The client's name and secret may be anything.
func (s *Shop) issueToken(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if r.PostFormValue("grant_type") != "client_credentials" || id == "" || secret == "" {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_request"})
		return
	}
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	if s.tokens.uses == nil {
		s.tokens.uses = map[string]int{}
	}
	s.tokens.issued++
	token := "token-" + strconv.Itoa(s.tokens.issued)
	s.tokens.uses[token] = 0
	writeJSON(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// Tokens is how many tokens were given out.
func (s *Shop) Tokens() int {
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	return s.tokens.issued
}

// byBearer takes any token, and one of ours for as long as it is good.
func (s *Shop) byBearer(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		return false
	}
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	uses, ours := s.tokens.uses[token]
	if !ours || s.opts.TokenUses == 0 {
		return true
	}
	s.tokens.uses[token]++
	return uses < s.opts.TokenUses
}

func byAPIKey(r *http.Request) bool { return r.Header.Get("X-Api-Key") != "" }

// authorized lets a request pass that shows one of the credentials.
func authorized(next http.Handler, shown ...func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, ok := range shown {
			if ok(r) {
				next.ServeHTTP(w, r)
				return
			}
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		problem(w, http.StatusUnauthorized, "unauthorized", "The credentials are missing or wrong")
	})
}
