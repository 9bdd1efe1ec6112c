package spec

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits that keep a hostile document from taking the machine.
const (
	maxDepth  = 500
	maxCopies = 1_000_000 // of values behind YAML aliases
)

// jsonParser reads JSON (RFC 8259) in one pass and notes the place of every value. It exists because documents of many
// megabytes are common as JSON, and the YAML reader needs ten times as long for them.
type jsonParser struct {
	src   []byte
	pos   int
	line  int
	start int // offset of the first byte of the line
	file  *File
	slab  []Node
	keys  map[string]string
	dups  []Diagnostic
}

func parseJSON(file *File, src []byte) (root *Node, diags []Diagnostic, err *Error) {
	p := &jsonParser{src: src, line: 1, file: file, keys: map[string]string{}}
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			root, err = nil, failure
		}
	}()
	p.space()
	root = p.value(0)
	p.space()
	if p.pos < len(p.src) {
		p.failf("there is text after the end of the document")
	}
	return root, p.dups, nil
}

func (p *jsonParser) failf(format string, args ...any) {
	pos := Position{File: p.file.Name, Line: p.line, Col: p.pos - p.start + 1}
	panic(Errorf(pos, "not-json", "this is not JSON: %s", fmt.Sprintf(format, args...)))
}

func (p *jsonParser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case '\n':
			p.line++
			p.start = p.pos + 1
		case ' ', '\t', '\r':
		default:
			return
		}
		p.pos++
	}
}

func (p *jsonParser) node(kind Kind) *Node {
	if len(p.slab) == 0 {
		p.slab = make([]Node, 512)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.Kind, n.file, n.line, n.col = kind, p.file, at(p.line), at(p.pos-p.start+1)
	return n
}

func (p *jsonParser) value(depth int) *Node {
	if depth > maxDepth {
		p.failf("it is nested more than %d levels deep", maxDepth)
	}
	if p.pos >= len(p.src) {
		p.failf("it ends in the middle of a value")
	}
	switch c := p.src[p.pos]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		n := p.node(String)
		n.Value = p.str()
		return n
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		for word, kind := range map[string]Kind{"true": Bool, "false": Bool, "null": Null} {
			if len(p.src)-p.pos >= len(word) && string(p.src[p.pos:p.pos+len(word)]) == word {
				n := p.node(kind)
				if kind == Bool {
					n.Value = word
				}
				p.pos += len(word)
				return n
			}
		}
		p.failf("a value cannot start with %q", c)
		return nil
	}
}

func (p *jsonParser) object(depth int) *Node {
	n := p.node(Object)
	p.pos++
	for {
		p.space()
		if p.peek() == '}' && len(n.Members) == 0 {
			p.pos++
			return n
		}
		if p.peek() != '"' {
			p.failf("a member name in double quotes is missing")
		}
		at := Position{File: p.file.Name, Line: p.line, Col: p.pos - p.start + 1}
		key := p.intern(p.str())
		p.space()
		if p.peek() != ':' {
			p.failf("a colon is missing after the name %q", key)
		}
		p.pos++
		p.space()
		value := p.value(depth + 1)
		if n.Has(key) {
			p.dups = append(p.dups, duplicateKey(at, key))
		}
		before := len(n.Members)
		n.Set(key, value)
		if len(n.Members) > before {
			n.placeKey(at.Line, at.Col)
		}
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return n
		default:
			p.failf("a comma or a closing brace is missing")
		}
	}
}

func (p *jsonParser) array(depth int) *Node {
	n := p.node(Array)
	p.pos++
	for {
		p.space()
		if p.peek() == ']' && len(n.Items) == 0 {
			p.pos++
			return n
		}
		n.Items = append(n.Items, p.value(depth+1))
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return n
		default:
			p.failf("a comma or a closing bracket is missing")
		}
	}
}

func (p *jsonParser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// intern keeps one copy of each member name: a large document repeats a few hundred of them.
func (p *jsonParser) intern(key string) string {
	if k, ok := p.keys[key]; ok {
		return k
	}
	p.keys[key] = key
	return key
}

func (p *jsonParser) number() *Node {
	n := p.node(Number)
	from := p.pos
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			p.pos++
			continue
		}
		break
	}
	n.Value = string(p.src[from:p.pos])
	if _, err := strconv.ParseFloat(n.Value, 64); err != nil && !isRange(err) {
		p.failf("%q is not a number", n.Value)
	}
	return n
}

func (p *jsonParser) str() string {
	p.pos++
	from := p.pos
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			s := string(p.src[from:p.pos])
			p.pos++
			if !utf8.ValidString(s) {
				s = toValid(s)
			}
			return s
		case c == '\\':
			return p.escaped(from)
		case c < ' ':
			p.failf("a string holds a control character or has no closing quote")
		}
		p.pos++
	}
	p.failf("a string has no closing quote")
	return ""
}

func (p *jsonParser) escaped(from int) string {
	out := append([]byte(nil), p.src[from:p.pos]...)
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			return toValid(string(out))
		case c < ' ':
			p.failf("a string holds a control character or has no closing quote")
		case c != '\\':
			out = append(out, c)
			p.pos++
		default:
			out = p.escape(out)
		}
	}
	p.failf("a string has no closing quote")
	return ""
}

func (p *jsonParser) escape(out []byte) []byte {
	p.pos++
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return append(out, c)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		r := p.hex()
		if utf16.IsSurrogate(r) && p.pos+1 < len(p.src) && p.src[p.pos] == '\\' && p.src[p.pos+1] == 'u' {
			p.pos += 2
			r = utf16.DecodeRune(r, p.hex())
		}
		return utf8.AppendRune(out, r)
	default:
		p.pos--
		p.failf("\\%c is not an escape", c)
		return out
	}
}

func (p *jsonParser) hex() rune {
	if p.pos+4 > len(p.src) {
		p.failf("an escape is cut short")
	}
	v, err := strconv.ParseUint(string(p.src[p.pos:p.pos+4]), 16, 32)
	if err != nil {
		p.failf("\\u%s is not an escape", p.src[p.pos:p.pos+4])
	}
	p.pos += 4
	return rune(v) //nolint:gosec // four hexadecimal digits
}
