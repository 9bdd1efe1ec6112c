package plan

import (
	"mime"
	"strings"
)

// kindOfMedia sorts media types by how a body of them is read and written: json, form, multipart, text, sse, ndjson or
// binary; any for a range.
func kindOfMedia(media string) string {
	base, _, err := mime.ParseMediaType(media)
	if err != nil {
		base, _, _ = strings.Cut(strings.ToLower(media), ";")
		base = strings.TrimSpace(base)
	}
	switch {
	case base == "" || base == "*/*" || base == "application/*":
		return "any"
	case base == "application/x-www-form-urlencoded":
		return "form"
	case strings.HasPrefix(base, "multipart/"):
		return "multipart"
	case base == "text/event-stream":
		return "sse"
	case isLines(base):
		return "ndjson"
	case base == "text/json" || base == "application/json" || strings.HasSuffix(base, "+json") || strings.HasSuffix(base, "/json"):
		return "json"
	case strings.HasPrefix(base, "text/"), strings.HasSuffix(base, "+xml"), strings.HasSuffix(base, "/xml"),
		strings.HasSuffix(base, "yaml"), base == "application/graphql", base == "application/sdp", base == "application/jwt",
		base == "application/javascript", strings.HasSuffix(base, "+jwt"), base == "application/x-pem-file":
		return "text"
	}
	return "binary"
}

func isLines(base string) bool {
	switch base {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines",
		"application/x-jsonl", "application/json-lines", "application/stream+json", "application/x-json-stream", "application/json-seq":
		return true
	}
	return false
}

// mediaRank orders media types of one body or answer: the one that is used first.
func mediaRank(media string) int {
	base, _, _ := strings.Cut(strings.ToLower(media), ";")
	base = strings.TrimSpace(base)
	switch kindOfMedia(media) {
	case "json":
		switch {
		case base == "application/json":
			return 0
		case strings.HasSuffix(base, "json-patch+json"):
			return 3
		case strings.HasSuffix(base, "merge-patch+json"):
			return 2
		}
		return 1
	case "any":
		return 4
	case "form":
		return 5
	case "multipart":
		return 6
	case "sse":
		return 7
	case "ndjson":
		return 8
	case "text":
		return 9
	}
	return 10
}
