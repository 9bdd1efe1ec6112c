package idempotency

import (
	"errors"
	"strings"
)

// Limits of a key when Options leaves them out.
const (
	DefaultKeyMin = 1
	DefaultKeyMax = 255
)

var (
	errKeyEmpty    = errors.New("the key is empty")
	errKeyMultiple = errors.New("the key header is there more than once")
	errKeyLong     = errors.New("the key is too long")
	errKeyShort    = errors.New("the key is too short")
	errKeySyntax   = errors.New("the key is neither printable ASCII nor an RFC 8941 string")
)

// parseKey reads the values of the key header: bare, or as the quoted string of RFC 8941 section 3.3.3 that the IETF
// draft asks for. Both spell the same key. Case counts, and nothing is cut.
func parseKey(values []string, minimum, maximum int) (string, error) {
	if len(values) != 1 {
		return "", errKeyMultiple
	}
	key := values[0]
	if strings.HasPrefix(key, `"`) {
		var ok bool
		if key, ok = unquote(key); !ok {
			return "", errKeySyntax
		}
	}
	switch {
	case key == "":
		return "", errKeyEmpty
	case len(key) < minimum:
		return "", errKeyShort
	case len(key) > maximum:
		return "", errKeyLong
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", errKeySyntax
		}
	}
	return key, nil
}

func unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	inner := s[1 : len(s)-1]
	if !strings.ContainsAny(inner, `"\`) {
		return inner, true
	}
	out := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '"':
			return "", false
		case '\\':
			i++
			if i == len(inner) || (inner[i] != '"' && inner[i] != '\\') {
				return "", false
			}
		}
		out = append(out, inner[i])
	}
	return string(out), true
}
