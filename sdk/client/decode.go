package client

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// DecodeError says that a success answer is not what the document declares. The call itself may well have done its
// work.
type DecodeError struct {
	Want string // declared content types
	Got  string // content type of the answer, "" when it had none
	Err  error  // nil when the content type is what is wrong
}

func (e *DecodeError) Error() string {
	if e.Err != nil {
		return "the answer cannot be decoded: " + e.Err.Error()
	}
	got := e.Got
	if got == "" {
		got = "no content type"
	}
	return "the answer is " + got + ", not " + e.Want
}

func (e *DecodeError) Unwrap() error { return e.Err }

var errNoBody = errors.New("it has no body")

// answer picks the declared answer for what came: by status first, then by content type. The index is -1 when nothing
// declared fits.
func (x *exchange) answer() (Answer, int) {
	if x.op.Answers == nil {
		return Answer{Status: "2XX", Type: "application/json"}, 0
	}
	rank := 0
	for _, a := range x.op.Answers {
		rank = max(rank, statusRank(a.Status, x.resp.StatusCode))
	}
	if rank == 0 {
		return Answer{}, -1
	}
	var types []string
	var at []int
	for i, a := range x.op.Answers {
		if statusRank(a.Status, x.resp.StatusCode) == rank {
			types, at = append(types, a.Type), append(at, i)
		}
	}
	n := max(0, wire.BestType(types, x.resp.Header.Get("Content-Type")))
	return x.op.Answers[at[n]], at[n]
}

// decode reads the answer's body into the target that is for it.
func (x *exchange) decode(targets []any) error {
	declared, n := x.answer()
	if n < 0 { // an undeclared 2xx: read it as the first declared one
		declared, n = x.op.Answers[0], 0
	}
	if declared.Kind == None || x.op.Call.Method == http.MethodHead || x.resp.StatusCode == http.StatusNoContent {
		return nil
	}
	target := targets[min(n, len(targets)-1)]
	if err := x.read(declared, target); err != nil {
		return x.unreadable(err)
	}
	return nil
}

func (x *exchange) read(declared Answer, target any) error {
	got := x.resp.Header.Get("Content-Type")
	body := x.info.Body
	if declared.Kind == Text {
		text, err := toUTF8(body, got)
		if err != nil {
			return &DecodeError{Want: declared.Type, Got: got, Err: err}
		}
		setText(target, string(text))
		return nil
	}
	if declared.Kind == Binary {
		setBytes(target, body)
		return nil
	}
	if got != "application/json" || len(body) == 0 || body[0] != '{' { // the usual answer needs no second look
		var err error
		if body, err = checked(declared, body, got); err != nil {
			return err
		}
	}
	if err := wire.Unmarshal(body, target); err != nil {
		return &DecodeError{Want: declared.Type, Got: got, Err: err}
	}
	return nil
}

// checked is the body as UTF-8 when it is what the document declares, as far as can be told without decoding it.
func checked(declared Answer, body []byte, got string) ([]byte, error) {
	body, err := toUTF8(body, got)
	if err != nil {
		return nil, &DecodeError{Want: declared.Type, Got: got, Err: err}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, &DecodeError{Want: declared.Type, Got: got, Err: errNoBody}
	}
	if !wire.MatchType(declared.Type, got) && !wire.IsJSON(got) && !plainJSON(got, body) {
		return nil, &DecodeError{Want: declared.Type, Got: got}
	}
	return body, nil
}

// plainJSON forgives servers that send JSON without saying so.
func plainJSON(contentType string, body []byte) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return (kind == "" || kind == "text/plain" || kind == "application/octet-stream") && looksJSON(body)
}

func setText(target any, text string) {
	v := reflect.ValueOf(target).Elem()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		v.SetString(text)
		return
	}
	setBytes(target, []byte(text))
}

func setBytes(target any, data []byte) {
	v := reflect.ValueOf(target).Elem()
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(data)
	}
}

// toUTF8 converts the charsets that HTTP servers still send; JSON is UTF-8 unless the answer says otherwise.
func toUTF8(body []byte, contentType string) ([]byte, error) {
	_, params, _ := mime.ParseMediaType(contentType)
	switch charset := strings.ToLower(params["charset"]); charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), nil
	case "iso-8859-1", "latin1", "iso_8859-1":
		out := make([]rune, len(body))
		for i, b := range body {
			out[i] = rune(b)
		}
		return []byte(string(out)), nil
	case "utf-16", "utf-16le", "utf-16be":
		return fromUTF16(body, charset != "utf-16le"), nil
	default:
		return nil, fmt.Errorf("its charset is %s", charset)
	}
}

func fromUTF16(body []byte, big bool) []byte {
	if len(body) >= 2 && body[0] == 0xff && body[1] == 0xfe {
		big, body = false, body[2:]
	} else if len(body) >= 2 && body[0] == 0xfe && body[1] == 0xff {
		big, body = true, body[2:]
	}
	units := make([]uint16, 0, len(body)/2)
	for i := 0; i+1 < len(body); i += 2 {
		high, low := body[i], body[i+1]
		if !big {
			high, low = low, high
		}
		units = append(units, uint16(high)<<8|uint16(low))
	}
	return []byte(string(utf16.Decode(units)))
}
