package sample

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// formats are values of the string formats that the field's validators check.
var formats = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "duration": "P1D",
	"email": "ada@example.com", "idn-email": "ada@example.com", "hostname": "api.example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/a", "url": "https://example.com/a", "uri-reference": "/a", "iri": "https://example.com/a",
	"uuid": "0b5c1f0e-7b5e-4c38-8a43-6a3b0cf0c9a1", "byte": "YQ==", "binary": "binary", "json-pointer": "/a", "regex": "a",
}

// text is a string that fits format, pattern and lengths.
func text(s map[string]any) string {
	v := "text"
	if format, ok := s["format"].(string); ok && formats[format] != "" {
		v = formats[format]
	}
	if pattern, ok := s["pattern"].(string); ok {
		if fit, ok := match(pattern, s); ok {
			return fit
		}
	}
	if least := int(asFloat(s["minLength"], 0)); len(v) < least {
		v += strings.Repeat("x", least-len(v))
	}
	if most := int(asFloat(s["maxLength"], 1<<20)); len(v) > most {
		v = v[:most]
	}
	return v
}

// match makes a string for a pattern: the document's example where it fits, else the shortest walk through the pattern
// that is long enough.
func match(pattern string, s map[string]any) (string, bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		if example, ok := s["example"].(string); ok {
			return example, true
		}
		return "", false
	}
	least, most := int(asFloat(s["minLength"], 0)), int(asFloat(s["maxLength"], 1<<20))
	fits := func(v string) bool { return re.MatchString(v) && len(v) >= least && len(v) <= most }
	for _, v := range []any{s["example"], s["default"], formats["date-time"], formats["date"], formats["uuid"], "text", "1", "AA"} {
		if v, ok := v.(string); ok && fits(v) {
			return v, true
		}
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	tree = tree.Simplify()
	for repeat := 1; repeat <= 1024; repeat *= 2 {
		var b strings.Builder
		walk(&b, tree, repeat)
		if fits(b.String()) {
			return b.String(), true
		}
	}
	for repeat := 1; repeat <= 300; repeat++ {
		var b strings.Builder
		walk(&b, tree, repeat)
		if fits(b.String()) {
			return b.String(), true
		}
	}
	return "", false
}

func walk(b *strings.Builder, re *syntax.Regexp, repeat int) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			walk(b, sub, repeat)
		}
	case syntax.OpAlternate:
		walk(b, re.Sub[0], repeat)
	case syntax.OpStar, syntax.OpPlus:
		for range repeat {
			walk(b, re.Sub[0], 1)
		}
	case syntax.OpQuest:
		if repeat > 1 {
			walk(b, re.Sub[0], repeat)
		}
	case syntax.OpRepeat:
		n := max(re.Min, min(repeat, max(re.Max, re.Min)))
		for range n {
			walk(b, re.Sub[0], repeat)
		}
	default: // anchors and empty matches add nothing
	}
}

// member picks a plain character of a class.
func member(ranges []rune) rune {
	for _, want := range "a1A_-. " {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'a'
}
