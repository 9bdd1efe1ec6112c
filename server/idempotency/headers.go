package idempotency

import (
	"maps"
	"net/http"
)

// replayedByDefault describe the body or name the resource. Everything else in an answer belongs to its moment.
var replayedByDefault = []string{
	"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Location",
	contentType, "Deprecation", "Etag", "Last-Modified", "Link", "Location", "Preference-Applied", "Retry-After",
	"Sunset", "Vary", shouldRetryHeader,
}

// neverReplayed carry credentials, or belong to one connection or moment (RFC 9110 section 7.6.1).
var neverReplayed = []string{
	"Authentication-Info", "Connection", "Content-Length", "Date", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authentication-Info", "Set-Cookie", "Set-Cookie2", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Www-Authenticate",
}

func replayable(extra []string) map[string]bool {
	set := make(map[string]bool, len(replayedByDefault)+len(extra))
	for _, name := range replayedByDefault {
		set[name] = true
	}
	for _, name := range extra {
		set[http.CanonicalHeaderKey(name)] = true
	}
	return set
}

// keepReplayable picks what may be replayed: all of it, as a rule. It shares what it can, since the handler that made the
// header has returned.
func keepReplayable(h http.Header, allowed map[string]bool) http.Header {
	count := 0
	for name := range h {
		if allowed[name] {
			count++
		}
	}
	if count == len(h) {
		return h
	}
	kept := make(http.Header, count)
	for name, values := range h {
		if allowed[name] {
			kept[name] = values
		}
	}
	return kept
}

// copyHeader puts a copy into dst, so that whoever changes the answer later does not change the record.
func copyHeader(dst, src http.Header) {
	maps.Copy(dst, src.Clone())
}
