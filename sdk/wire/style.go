package wire

import "strings"

// Style says how a parameter that is an array or an object is written: the style keyword of the OpenAPI Specification
// 3.1.1, section 4.8.12.3.
type Style string

// The styles.
const (
	Simple         Style = "simple"         // blue,black (path, header)
	Label          Style = "label"          // .blue.black (path)
	Matrix         Style = "matrix"         // ;color=blue;color=black (path)
	FormStyle      Style = "form"           // color=blue&color=black (query, cookie, form body)
	SpaceDelimited Style = "spaceDelimited" // color=blue%20black (query)
	PipeDelimited  Style = "pipeDelimited"  // color=blue%7Cblack (query)
	DeepObject     Style = "deepObject"     // color[R]=100&color[G]=200 (query, form body)
)

// escaper percent-encodes text for one place.
type escaper struct {
	plus     bool   // spaces as +, for application/x-www-form-urlencoded
	reserved bool   // leave reserved characters and percent-encoded triplets alone
	keep     string // the reserved characters that may stand there
	none     bool   // leave everything alone
}

// reservedInQuery are the characters reserved by RFC 3986 section 2.2 that can stand in a query value without ending
// or splitting it: not # and [ and ], which a query cannot hold, and not & and +, which mean something else there.
const reservedInQuery = ":/?@!$'()*,;="

// reservedInCookie are the reserved characters that are also cookie-octets (RFC 6265 section 4.1.1).
const reservedInCookie = ":/?#[]@!$&'()*+="

func unreserved(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '-' || c == '.' || c == '_' || c == '~'
}

// stays reports whether the byte at i is written as it is.
func (e escaper) stays(s string, i int) bool {
	c := s[i]
	return unreserved(c) || e.none || e.reserved && (strings.IndexByte(e.keep, c) >= 0 || c == '%' && isTriplet(s[i:]))
}

// escape encodes all but the unreserved characters of RFC 3986 section 2.3, as RFC 6570 does.
func (e escaper) escape(s string) string {
	for i := range len(s) {
		if !e.stays(s, i) {
			return string(e.append(make([]byte, 0, len(s)+16), s))
		}
	}
	return s
}

// append is escape into a buffer.
func (e escaper) append(dst []byte, s string) []byte {
	const upperHex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		switch {
		case e.stays(s, i):
			dst = append(dst, c)
		case c == ' ' && e.plus:
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&0xf])
		}
	}
	return dst
}

func isTriplet(s string) bool {
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// name is for names of parameters and properties, where reserved characters are never left alone.
func (e escaper) name(s string) string {
	e.reserved = false
	return e.escape(s)
}

// parts gives the encoded texts of the items of an array, or of the names and values of an object: pair by pair
// (k=v) when exploded, one after the other when not.
func (n node) parts(explode bool, e escaper) []string {
	out := make([]string, 0, 2*len(n.items))
	for i, item := range n.items {
		value := e.escape(item.flat())
		switch {
		case n.kind == list:
			out = append(out, value)
		case explode:
			out = append(out, e.name(n.names[i])+"="+value)
		default:
			out = append(out, e.name(n.names[i]), value)
		}
	}
	return out
}

// pairs writes the form-like styles: name=value pairs that the caller joins by & (or by "; " in cookies).
func (n node) pairs(name string, style Style, explode bool, e escaper) []pair {
	if style == DeepObject {
		return n.brackets(nil, name, e)
	}
	key := e.name(name)
	switch n.kind {
	case absent:
		return nil
	case null, scalar:
		return []pair{{key, e.escape(n.text)}}
	case list, object:
	}
	if len(n.items) == 0 {
		return nil // RFC 6570 section 2.3: a list without members is undefined
	}
	if !explode {
		return []pair{{key, strings.Join(n.parts(false, e), e.delimiter(style))}}
	}
	var out []pair
	for i, item := range n.items {
		if n.kind == list {
			out = append(out, pair{key, e.escape(item.flat())})
			continue
		}
		own := e.name(n.names[i])
		if item.kind != list {
			out = append(out, pair{own, e.escape(item.flat())})
			continue
		}
		for _, inner := range item.items {
			out = append(out, pair{own, e.escape(inner.flat())})
		}
	}
	return out
}

// pair is one name=value, encoded.
type pair struct{ key, value string }

func (p pair) String() string { return p.key + "=" + p.value }

func appendPairs(dst []string, pairs []pair) []string {
	for _, p := range pairs {
		dst = append(dst, p.String())
	}
	return dst
}

// delimiter stands between the items of an array that is not exploded. It is never escaped itself unless a URI cannot
// hold it.
func (e escaper) delimiter(style Style) string {
	switch style {
	case SpaceDelimited:
		return e.escape(" ")
	case PipeDelimited:
		return e.escape("|")
	default:
		return ","
	}
}

// brackets writes the deepObject style. The specification defines one level of scalars; deeper values and arrays go
// on in the same way, with the index for an array: a[0][b]=c.
func (n node) brackets(out []pair, name string, e escaper) []pair {
	switch n.kind {
	case absent:
	case null, scalar:
		out = append(out, pair{e.name(name), e.escape(n.text)})
	case list:
		for i, item := range n.items {
			out = item.brackets(out, name+"["+itoa(i)+"]", e)
		}
	case object:
		for i, item := range n.items {
			out = item.brackets(out, name+"["+n.names[i]+"]", e)
		}
	}
	return out
}

// simple writes the style simple, for path and header.
func (n node) simple(explode bool, e escaper) string {
	if n.kind == list || n.kind == object {
		return strings.Join(n.parts(explode, e), ",")
	}
	return e.escape(n.text)
}

// label writes the style label.
func (n node) label(explode bool, e escaper) string {
	if n.kind != list && n.kind != object {
		return "." + e.escape(n.text)
	}
	if explode {
		return "." + strings.Join(n.parts(true, e), ".")
	}
	return "." + strings.Join(n.parts(false, e), ",")
}

// matrix writes the style matrix. An empty value has no equals sign (RFC 6570 section 3.2.7).
func (n node) matrix(name string, explode bool, e escaper) string {
	if explode || n.kind == null || n.kind == scalar {
		var b strings.Builder
		for _, p := range n.pairs(name, FormStyle, explode, e) {
			b.WriteString(";" + strings.TrimSuffix(p.String(), "="))
		}
		return b.String()
	}
	return ";" + e.name(name) + "=" + strings.Join(n.parts(false, e), ",")
}
