package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string. The characters <, > and & stay as they are (the text is a request body, not part
// of a web page); U+2028 and U+2029 are escaped and bytes that are not UTF-8 replaced, as encoding/json does.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var put string
		if c < utf8.RuneSelf {
			put = controlEscape(c)
		} else {
			var ch rune
			ch, size = utf8.DecodeRuneInString(s[i:])
			switch {
			case ch == utf8.RuneError && size == 1:
				put = `\ufffd`
			case ch == '\u2028':
				put = `\u2028`
			case ch == '\u2029':
				put = `\u2029`
			default:
				i += size
				continue
			}
		}
		dst = append(append(dst, s[start:i]...), put...)
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func controlEscape(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return string([]byte{'\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf]})
}

// appendFloat writes a number in the shortest form that reads back as the same value, as ECMAScript prints numbers
// (ECMA-262 section 6.1.6.1.20). ok is false for NaN and the infinities, which JSON does not have.
func appendFloat(dst []byte, f float64, bits int) (out []byte, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, false
	}
	abs := math.Abs(f)
	small, large := abs < 1e-6, abs >= 1e21
	if bits == 32 {
		small, large = float32(abs) < 1e-6, float32(abs) >= 1e21
	}
	if abs == 0 || !small && !large {
		return strconv.AppendFloat(dst, f, 'f', -1, bits), true
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	if n := len(dst); n >= 4 && string(dst[n-4:n-1]) == "e-0" { // e-09 is written e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, true
}

// appendCompact checks a JSON text and writes it without the white space between its tokens.
func appendCompact(dst, text []byte) ([]byte, error) {
	r := jsonReader{data: text}
	if err := r.space(); err != nil {
		return dst, err
	}
	if err := r.skip(); err != nil {
		return dst, err
	}
	if r.pos < len(text) {
		if err := r.end(); err != nil {
			return dst, err
		}
	}
	if !r.spaces {
		return append(dst, text...), nil
	}
	buf := bytes.NewBuffer(dst)
	err := json.Compact(buf, text)
	return buf.Bytes(), err
}
