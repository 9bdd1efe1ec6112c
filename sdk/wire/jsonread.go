package wire

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest, the limit of encoding/json.
const maxDepth = 10000

// jsonReader walks over a JSON text (RFC 8259) once, front to back.
type jsonReader struct {
	data   []byte
	pos    int
	depth  int
	spaces bool // white space was passed
}

// stringShape says what has to be done to the bytes between two quotes before they are a Go string.
type stringShape uint8

const (
	escaped  stringShape = 1 << iota // has a backslash
	nonASCII                         // has a byte above 0x7f
)

func (r *jsonReader) syntax(reason string) error {
	return &DecodeError{Offset: int64(r.pos), Reason: reason}
}

// mismatch reports that the value at the reader's place is of another kind than wanted.
func (r *jsonReader) mismatch(want string) error {
	got := r.kind()
	if got == "" {
		return r.syntax("not a JSON value")
	}
	return r.syntax("want " + want + ", got " + got)
}

// The kinds that code outside of this file asks for.
const (
	kindObject = "object"
	kindNumber = "number"
)

// kind names the kind of the value at the reader's place; "" is none.
func (r *jsonReader) kind() string {
	if r.pos >= len(r.data) {
		return ""
	}
	switch c := r.data[r.pos]; {
	case c == '{':
		return kindObject
	case c == '[':
		return "array"
	case c == '"':
		return "string"
	case c == 't', c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	case c == '-', c >= '0' && c <= '9':
		return kindNumber
	}
	return ""
}

// space passes white space and fails at the end of the text.
func (r *jsonReader) space() error {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
			r.spaces = true
		default:
			return nil
		}
	}
	return r.syntax("unexpected end")
}

// end fails unless only white space is left.
func (r *jsonReader) end() error {
	if r.space() == nil {
		return r.syntax("data after the value")
	}
	return nil
}

func (r *jsonReader) enter() error {
	r.pos++
	if r.depth++; r.depth > maxDepth {
		return r.syntax("nested deeper than " + strconv.Itoa(maxDepth))
	}
	return nil
}

func (r *jsonReader) literal(text string) error {
	if end := r.pos + len(text); end <= len(r.data) && string(r.data[r.pos:end]) == text {
		r.pos = end
		return nil
	}
	return r.syntax("not a JSON value")
}

// null passes a null and reports whether there was one.
func (r *jsonReader) null() (bool, error) {
	if r.pos < len(r.data) && r.data[r.pos] == 'n' {
		return true, r.literal("null")
	}
	return false, nil
}

// skip passes one value of any kind and checks its syntax.
func (r *jsonReader) skip() error {
	if r.pos >= len(r.data) {
		return r.syntax("unexpected end")
	}
	switch r.data[r.pos] {
	case '{':
		return r.skipObject()
	case '[':
		return r.skipArray()
	case '"':
		_, _, err := r.rawString()
		return err
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	}
	_, _, err := r.number()
	return err
}

func (r *jsonReader) skipObject() error {
	more, err := r.open('}')
	for more && err == nil {
		if _, _, err = r.member(); err != nil {
			break
		}
		if err = r.skip(); err != nil {
			break
		}
		more, err = r.more('}')
	}
	return err
}

func (r *jsonReader) skipArray() error {
	more, err := r.open(']')
	for more && err == nil {
		if err = r.skip(); err != nil {
			break
		}
		more, err = r.more(']')
	}
	return err
}

// open passes the opening bracket and reports whether a first element follows.
func (r *jsonReader) open(closing byte) (bool, error) {
	if err := r.enter(); err != nil {
		return false, err
	}
	if err := r.space(); err != nil {
		return false, err
	}
	if r.data[r.pos] == closing {
		r.pos++
		r.depth--
		return false, nil
	}
	return true, nil
}

// more passes what stands between two elements and reports whether another one follows.
func (r *jsonReader) more(closing byte) (bool, error) {
	if err := r.space(); err != nil {
		return false, err
	}
	switch r.data[r.pos] {
	case ',':
		r.pos++
		return true, r.space()
	case closing:
		r.pos++
		r.depth--
		return false, nil
	}
	return false, r.syntax("want a comma or " + strconv.QuoteRune(rune(closing)))
}

// member passes the name of a member and its colon, up to the value.
func (r *jsonReader) member() ([]byte, stringShape, error) {
	if r.data[r.pos] != '"' {
		return nil, 0, r.syntax("want the name of a member")
	}
	name, shape, err := r.rawString()
	if err != nil {
		return nil, 0, err
	}
	if err := r.space(); err != nil {
		return nil, 0, err
	}
	if r.data[r.pos] != ':' {
		return nil, 0, r.syntax("want a colon")
	}
	r.pos++
	return name, shape, r.space()
}

// rawString passes a string and gives the bytes between its quotes.
func (r *jsonReader) rawString() ([]byte, stringShape, error) {
	var shape stringShape
	start := r.pos + 1
	for i := start; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			return r.data[start:i], shape, nil
		case c == '\\':
			shape |= escaped
			n := escapeLen(r.data[i:])
			if n == 0 {
				r.pos = i
				return nil, 0, r.syntax("invalid escape in a string")
			}
			i += n - 1
		case c < ' ':
			r.pos = i
			return nil, 0, r.syntax("control character in a string")
		case c >= utf8.RuneSelf:
			shape |= nonASCII
		}
	}
	r.pos = len(r.data)
	return nil, 0, r.syntax("unexpected end in a string")
}

// escapeLen gives the length of the escape that b begins with, 0 when it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the four digits of the escape \uXXXX that b begins with.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var n rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// number passes a number and gives its text, and whether it is written as an integer.
func (r *jsonReader) number() (text []byte, integer bool, err error) {
	data, start, i := r.data, r.pos, r.pos
	if i < len(data) && data[i] == '-' {
		i++
	}
	end := digits(data, i)
	if end > i+1 && data[i] == '0' {
		end = i + 1 // what follows a leading zero is no part of the number
	}
	ok := end > i
	integer = true
	if i = end; ok && i < len(data) && data[i] == '.' {
		integer = false
		end = digits(data, i+1)
		ok = end > i+1
		i = end
	}
	if ok && i < len(data) && data[i]|0x20 == 'e' {
		integer = false
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		end = digits(data, i)
		ok = end > i
		i = end
	}
	if !ok {
		if i == start {
			return nil, false, r.syntax("not a JSON value")
		}
		r.pos = i
		return nil, false, r.syntax("invalid number")
	}
	r.pos = i
	return data[start:i], integer, nil
}

// digits gives the index behind the digits that begin at i.
func digits(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}

// unquote turns the bytes between two quotes, checked by rawString, into text: escapes resolved, bytes that are not
// UTF-8 and surrogates without a partner replaced by U+FFFD, as encoding/json does. It gives b itself when there is
// nothing to do.
func unquote(b []byte, shape stringShape) []byte {
	if shape&escaped == 0 && (shape&nonASCII == 0 || utf8.Valid(b)) {
		return b
	}
	out := make([]byte, 0, len(b)+2*utf8.UTFMax)
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '\\':
			var n int
			out, n = appendEscape(out, b[i:])
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			ch, n := utf8.DecodeRune(b[i:])
			out = utf8.AppendRune(out, ch)
			i += n
		}
	}
	return out
}

func appendEscape(out, b []byte) ([]byte, int) {
	const plain, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range len(plain) {
		if b[1] == plain[i] {
			return append(out, meaning[i]), 2
		}
	}
	ch, _ := hex4(b)
	if !utf16.IsSurrogate(ch) {
		return utf8.AppendRune(out, ch), 6
	}
	if low, ok := hex4(b[6:]); ok {
		if both := utf16.DecodeRune(ch, low); both != utf8.RuneError {
			return utf8.AppendRune(out, both), 12
		}
	}
	return utf8.AppendRune(out, utf8.RuneError), 6
}
