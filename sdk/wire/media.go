package wire

import (
	"mime"
	"strings"
)

// IsJSON reports whether a media type says that the content is JSON: application/json, text/json or any type with the
// suffix +json (RFC 6839 section 3.1), with or without parameters.
func IsJSON(contentType string) bool {
	t, _ := splitType(contentType)
	return t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json")
}

// MatchType reports whether content of the type got may be read as the declared type, which may be a range such as
// image/* or */*. Case and the parameter charset do not matter; another parameter that both have must be equal. JSON
// types match each other, since servers answer application/json for a declared application/vnd.x+json and the other
// way round; use [BestType] to pick the closest of several declared types.
func MatchType(declared, got string) bool {
	return closeness(declared, got) > 0
}

// BestType gives the index of the declared type that is closest to the type got: equal before range before related
// JSON type, the first of equals. It is -1 when none matches.
func BestType(declared []string, got string) int {
	best, at := 0, -1
	for i, d := range declared {
		if c := closeness(d, got); c > best {
			best, at = c, i
		}
	}
	return at
}

// closeness rates how well a declared type describes the type got; 0 is not at all.
func closeness(declared, got string) int {
	d, dp := splitType(declared)
	g, gp := splitType(got)
	if d == "" || g == "" {
		return 0
	}
	shared := 0
	for name, value := range dp {
		if other, ok := gp[name]; ok && name != "charset" && name != "boundary" {
			if !strings.EqualFold(value, other) {
				return 0
			}
			shared = 1
		}
	}
	major, _, _ := strings.Cut(g, "/")
	switch {
	case d == g:
		return 8 + shared
	case d == major+"/*":
		return 6 + shared
	case d == "*/*":
		return 4 + shared
	case IsJSON(d) && IsJSON(g):
		return 2
	}
	return 0
}

// splitType gives the media type in lower case and its parameters. Parameters that are not well formed are dropped.
func splitType(contentType string) (string, map[string]string) {
	t, params, err := mime.ParseMediaType(contentType)
	if err == nil {
		return t, params
	}
	t, _, _ = strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t)), nil
}
