package client

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ForeignURLError says that a URL in an answer leads away from the origin that the call was made on. It was not
// followed, because the credentials would have gone with the request. Only origins are kept, not the whole URL.
type ForeignURLError struct {
	From, To string // scheme://host[:port]
}

func (e *ForeignURLError) Error() string {
	return fmt.Sprintf("the server's link leads from %s to %s, which must not get the credentials; "+
		"when both are the same API, use its own address as the base URL", e.From, e.To)
}

var errNoURL = errors.New("the server's link is not an http URL")

// resolve makes a URL reference of the answer absolute (RFC 3986 section 5) and holds it to the origin of the call,
// whatever redirects led to the answer.
func (x *exchange) resolve(in *Input, ref string) (*url.URL, error) {
	called, err := x.client.target(x.op, in, x.set)
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(called)
	if err != nil {
		return nil, errNoURL
	}
	at := origin
	if x.resp.Request != nil && x.resp.Request.URL != nil {
		at = x.resp.Request.URL
	}
	return sameOrigin(origin, at, ref)
}

// sameOrigin resolves ref at a URL and refuses what is not on origin. A proxy that ends TLS makes servers write http
// links: on the same host the scheme stays that of the call.
func sameOrigin(origin, at *url.URL, ref string) (*url.URL, error) {
	to, err := at.Parse(strings.TrimSpace(ref))
	if err != nil || to.Opaque != "" || to.Hostname() == "" || defaultPorts[to.Scheme] == "" {
		return nil, errNoURL
	}
	same := strings.EqualFold(to.Hostname(), origin.Hostname()) &&
		(port(to) == port(origin) || port(to) == defaultPorts[to.Scheme] && port(origin) == defaultPorts[origin.Scheme])
	if !same {
		return nil, &ForeignURLError{From: originOf(origin), To: originOf(to)}
	}
	to.Scheme, to.Host, to.User, to.Fragment, to.RawFragment = origin.Scheme, origin.Host, nil, "", ""
	return to, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPorts[u.Scheme]
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// nextLink is the target of the link with relation next in the values of a Link header (RFC 8288 section 3), "" when
// there is none.
func nextLink(fields []string) string {
	for _, field := range fields {
		for field != "" {
			var l link
			var ok bool
			if l, field, ok = readLink(field); !ok {
				break
			}
			if l.next && !l.anchored {
				return l.target
			}
		}
	}
	return ""
}

// link is one link of a Link header.
type link struct {
	target   string
	next     bool
	anchored bool // its context is another resource than the page
}

const blank = " \t"

// readLink takes the first link off a field value, by appendix B.2 of RFC 8288; false when there is none.
func readLink(s string) (link, string, bool) {
	s = strings.TrimLeft(s, blank+",")
	rest, opened := strings.CutPrefix(s, "<")
	target, rest, closed := strings.Cut(rest, ">")
	if !opened || !closed {
		return link{}, "", false
	}
	l := link{target: strings.TrimSpace(target)}
	related := false
	for {
		rest = strings.TrimLeft(rest, blank)
		after, more := strings.CutPrefix(rest, ";")
		if !more {
			return l, rest, true
		}
		var name, value string
		name, value, rest = readLinkParam(after)
		switch {
		case name == "anchor":
			l.anchored = true
		case name == "rel" && !related: // only the first one counts
			related = true
			for relation := range strings.FieldsSeq(value) {
				l.next = l.next || strings.EqualFold(relation, "next")
			}
		}
	}
}

// readLinkParam takes one name=value off s.
func readLinkParam(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		end = len(s)
	}
	name = strings.ToLower(strings.Trim(s[:end], blank))
	rest, valued := strings.CutPrefix(s[end:], "=")
	if !valued {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest, blank)
	if strings.HasPrefix(rest, `"`) {
		value, rest = readQuoted(rest[1:])
		return name, value, rest
	}
	end = strings.IndexAny(rest, ";,")
	if end < 0 {
		end = len(rest)
	}
	return name, strings.Trim(rest[:end], blank), rest[end:]
}

// readQuoted takes a quoted-string off s, whose opening quote is gone (RFC 9110 section 5.6.4).
func readQuoted(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
