package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const octetStream = "application/octet-stream"

// Multipart makes a multipart/form-data body (RFC 7578) from v, a struct or a map with string keys, by the Encoding
// Objects of its properties.
//
// Fields of type *File and []*File are file parts. Scalars are text, objects are JSON, arrays are one part for each
// item; an [Encoding] says otherwise. Properties come in the order of the struct's fields, of a map in the order of
// their names. Nil pointers, nil slices and absent Nullables are left out. In names of fields and files, quotes,
// backslashes and control characters are percent-encoded, so that no name can add a header or another part.
//
// The boundary is a digest of all the content when that is in memory, so equal calls give equal bytes and content
// cannot hold its own boundary; with content that is read later, a secret of the process goes in its place.
func Multipart(v any, enc []Encoding) (*Body, error) {
	m := &multipartWriter{enc: enc}
	source := reflect.ValueOf(v)
	for source.Kind() == reflect.Pointer || source.Kind() == reflect.Interface {
		source = source.Elem()
	}
	var err error
	switch source.Kind() {
	case reflect.Struct:
		err = m.addStruct(addressable(source))
	case reflect.Map:
		err = m.addMap(source)
	case reflect.Invalid:
	default:
		err = &ParamError{In: inBody, Reason: "a multipart body is made of an object"}
	}
	if err != nil {
		return nil, err
	}
	return m.body(m.boundary()), nil
}

// formPart is one part: its headers after the boundary line, and its content.
type formPart struct {
	header string
	text   []byte
	file   *File
}

type multipartWriter struct {
	enc   []Encoding
	parts []formPart
}

func (m *multipartWriter) addStruct(v reflect.Value) error {
	p := planOf(v.Type())
	if p.object == nil {
		return &ParamError{In: inBody, Reason: p.why}
	}
	w := jsonWriter{request: true}
	for i := range p.object.fields {
		f := &p.object.fields[i]
		fv := v.Field(f.index)
		if w.leavesOut(f, fv) {
			continue
		}
		if f.constant != "" && fv.IsZero() {
			fv = reflect.ValueOf([]byte(f.constant)).Convert(rawType)
		}
		if err := m.addProperty(f.name, fv); err != nil {
			return err
		}
	}
	if p.object.extra >= 0 {
		return m.addMap(v.Field(p.object.extra))
	}
	return nil
}

func (m *multipartWriter) addMap(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return &ParamError{In: inBody, Reason: "a map without string keys"}
	}
	for _, entry := range sortedMembers(v) {
		if err := m.addProperty(entry.name, entry.value); err != nil {
			return err
		}
	}
	return nil
}

func (m *multipartWriter) addProperty(name string, v reflect.Value) error {
	e, styled := encodingOf(m.enc, name)
	if files, ok := filesOf(v); ok {
		for _, f := range files {
			m.addFile(name, f, e.ContentType)
		}
		return nil
	}
	n, err := nodeOf(v)
	if err != nil {
		return &ParamError{In: inBody, Name: name, Reason: "cannot be written", Err: err}
	}
	switch {
	case n.kind == absent:
	case styled:
		for _, p := range n.pairs(name, e.Style, e.Explode, escaper{none: true}) {
			m.addText(p.key, []byte(p.value), "")
		}
	case n.kind == list && !IsJSON(firstConcrete(e.ContentType)):
		for _, item := range n.items {
			m.addNode(name, item, e.ContentType)
		}
	default:
		m.addNode(name, n, e.ContentType)
	}
	return nil
}

// filesOf gives the files of a property that is made of files.
func filesOf(v reflect.Value) ([]*File, bool) {
	if !v.CanInterface() {
		return nil, false
	}
	switch f := v.Interface().(type) {
	case *File:
		if f == nil {
			return nil, true
		}
		return []*File{f}, true
	case File:
		return []*File{&f}, true
	case []*File:
		return slices.DeleteFunc(slices.Clone(f), func(f *File) bool { return f == nil }), true
	case []File:
		out := make([]*File, len(f))
		for i := range f {
			out[i] = &f[i]
		}
		return out, true
	}
	return nil, false
}

func (m *multipartWriter) addNode(name string, n node, contentType string) {
	declared := firstConcrete(contentType)
	switch {
	case IsJSON(declared):
		m.addText(name, n.json(), declared)
	case n.kind == list || n.kind == object:
		if declared == "" {
			declared = "application/json"
		}
		m.addText(name, n.raw, declared)
	default:
		m.addText(name, []byte(n.text), declared)
	}
}

func (m *multipartWriter) addText(name string, text []byte, contentType string) {
	header := `Content-Disposition: form-data; name="` + escapeName(name) + "\"\r\n"
	if contentType != "" {
		header += "Content-Type: " + cleanType(contentType) + "\r\n"
	}
	m.parts = append(m.parts, formPart{header: header, text: text})
}

func (m *multipartWriter) addFile(name string, f *File, declared string) {
	contentType := f.ContentType
	if contentType == "" {
		contentType = typeOfFile(f.Name, declared)
	}
	header := `Content-Disposition: form-data; name="` + escapeName(name) + `"; filename="` + escapeName(fileName(f, name)) +
		"\"\r\nContent-Type: " + cleanType(contentType) + "\r\n"
	m.parts = append(m.parts, formPart{header: header, file: f})
}

// fileName makes up a name for a file that has none: without one, servers take the part for text.
func fileName(f *File, property string) string {
	if f.Name != "" {
		return f.Name
	}
	return property
}

// typeOfFile gives the only declared type, or the one of a list with commas that the ending of a file's name stands for;
// in a range, the type that the ending stands for. Where nothing says more it is application/octet-stream.
func typeOfFile(name, declared string) string {
	if declared == "" {
		return octetStream // without a look at the table of endings, which is read from the disk
	}
	types := strings.Split(declared, ",")
	if only := firstConcrete(declared); only != "" && len(types) == 1 {
		return only
	}
	named, _ := splitType(mime.TypeByExtension(path.Ext(name)))
	at := BestType(types, named)
	if at < 0 {
		return octetStream
	}
	if concrete := firstConcrete(types[at]); concrete != "" {
		return concrete
	}
	return named
}

// firstConcrete gives the first of the declared types (a list with commas) that is not a range.
func firstConcrete(declared string) string {
	for t := range strings.SplitSeq(declared, ",") {
		if t = strings.TrimSpace(t); t != "" && !strings.Contains(t, "*") {
			return t
		}
	}
	return ""
}

// escapeName percent-encodes what could end a quoted name or start a header. Quotes and line breaks are those of the
// HTML standard (section "multipart form data"); the others are there because some servers read a backslash as an escape.
func escapeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
			continue
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// cleanType drops the control characters that could start another header.
func cleanType(contentType string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, contentType)
}

// processSecret is random and the same for the life of the process.
var processSecret = sync.OnceValue(rand.Text)

// boundary makes the boundary that Multipart documents.
func (m *multipartWriter) boundary() string {
	h := sha256.New()
	for _, p := range m.parts {
		text := p.text
		switch {
		case p.file == nil:
		case p.file.inMemory:
			text = p.file.text
		default:
			text = []byte(processSecret())
		}
		h.Write([]byte(p.header + "\x00" + strconv.Itoa(len(text)) + "\x00"))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))[:40]
}

// body puts the parts together (RFC 2046 section 5.1.1).
func (m *multipartWriter) body(boundary string) *Body {
	b := &Body{ContentType: "multipart/form-data; boundary=" + boundary, Replayable: true}
	for _, p := range m.parts {
		b.addText([]byte("--" + boundary + "\r\n" + p.header + "\r\n"))
		if p.file != nil {
			b.addFile(p.file)
		} else {
			b.addText(p.text)
		}
		b.addText([]byte("\r\n"))
	}
	b.addText([]byte("--" + boundary + "--\r\n"))
	return b
}
