package client

import (
	"errors"
	"net/http"
)

// sentKey is the context key of what a call must not carry to another host.
type sentKey struct{}

// sent lists what the call put on its request.
type sent struct {
	credentials []string // headers that carry credentials
	key         string   // header that carries the idempotency key
}

const maxRedirects = 10 // as net/http has it

// redirects is the redirect policy: credentials stay with the host that the call was made on, and the idempotency key
// goes only where the body goes. net/http itself keeps custom headers, sends Authorization to subdomains, and puts the
// last URL with its query into Referer.
func redirects(user func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		carried, _ := req.Context().Value(sentKey{}).(sent)
		if foreign(req, via) {
			for _, name := range carried.credentials {
				req.Header.Del(name)
			}
			for _, name := range []string{"Authorization", "Cookie", "Referer"} {
				req.Header.Del(name)
			}
		}
		if req.Method != via[0].Method {
			req.Header.Del(carried.key)
			req.Header.Del("Content-Type")
		}
		if user != nil {
			return user(req, via)
		}
		if len(via) >= maxRedirects {
			return errors.New("stopped after 10 redirects")
		}
		return nil
	}
}

// foreign tells that some hop has left the origin of the first request; coming back does not give the credentials back.
func foreign(req *http.Request, via []*http.Request) bool {
	origin := via[0].URL
	for _, hop := range append(via[1:len(via):len(via)], req) {
		if hop.URL.Host != origin.Host || hop.URL.Scheme != origin.Scheme {
			return true
		}
	}
	return false
}
