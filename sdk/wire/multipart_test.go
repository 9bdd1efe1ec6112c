package wire_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

type upload struct {
	Purpose string                `json:"purpose"`
	Count   *int                  `json:"count,omitempty"`
	Meta    map[string]string     `json:"meta,omitempty"`
	Tags    []string              `json:"tags,omitempty"`
	Parts   []color               `json:"parts,omitempty"`
	File    *wire.File            `json:"file,omitempty"`
	Files   []*wire.File          `json:"files,omitempty"`
	Note    wire.Nullable[string] `json:"note,omitzero"`
	Kind    string                `json:"kind"            wire:"const=\"image\""`
	ID      string                `json:"id"              wire:"readonly"`
	Extra   map[string]any        `json:"-"               wire:"extra"`
}

func content(t *testing.T, b *wire.Body) string {
	t.Helper()
	r, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(iotest.OneByteReader(r))
	if err != nil {
		t.Fatal(err)
	}
	if b.Len >= 0 && int64(len(text)) != b.Len {
		t.Errorf("%d bytes, Len says %d", len(text), b.Len)
	}
	return string(text)
}

// plain puts a fixed word for the boundary.
func plain(t *testing.T, b *wire.Body) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(b.ContentType)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(content(t, b), params["boundary"], "BOUND")
}

func TestMultipartBytes(t *testing.T) {
	t.Parallel()
	count := 2
	in := upload{
		Purpose: "avatar", Count: &count, Meta: map[string]string{"k": "v"}, Tags: []string{"a", "b"}, Parts: []color{rgb},
		File:  wire.FromBytes("a.png", []byte("PNG")),
		Files: []*wire.File{wire.FromBytes("", []byte("1")), nil, {Name: "b", ContentType: "text/plain", Content: strings.NewReader("2")}},
		ID:    "x", Extra: map[string]any{"z": 1, "y": wire.FromBytes("y", nil)},
	}
	enc := []wire.Encoding{
		{Property: "file", ContentType: "image/*, image/png"},
		{Property: "purpose", ContentType: "text/plain; charset=utf-8"},
		{Property: "meta", Style: wire.DeepObject},
	}
	b, err := wire.Multipart(&in, enc)
	if err != nil {
		t.Fatal(err)
	}
	const want = "--BOUND\r\nContent-Disposition: form-data; name=\"purpose\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\navatar\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"count\"\r\n\r\n2\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"meta[k]\"\r\n\r\nv\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\na\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nb\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"parts\"\r\nContent-Type: application/json\r\n\r\n{\"R\":100,\"G\":200,\"B\":150}\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nPNG\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"files\"; filename=\"files\"\r\nContent-Type: application/octet-stream\r\n\r\n1\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"files\"; filename=\"b\"\r\nContent-Type: text/plain\r\n\r\n2\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nimage\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"y\"; filename=\"y\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n" +
		"--BOUND\r\nContent-Disposition: form-data; name=\"z\"\r\n\r\n1\r\n" +
		"--BOUND--\r\n"
	if got := plain(t, b); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if !b.Replayable {
		t.Error("a strings.Reader can be rewound")
	}
	if got := plain(t, b); got != want {
		t.Errorf("the second time\n%q", got)
	}
}

func TestMultipartKinds(t *testing.T) {
	t.Parallel()
	part := func(name, contentType, text string) string {
		if contentType != "" {
			contentType = "Content-Type: " + contentType + "\r\n"
		}
		return "--BOUND\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n" + contentType + "\r\n" + text + "\r\n"
	}
	for _, tt := range []struct {
		name string
		v    any
		enc  []wire.Encoding
		want string
	}{
		{"map", map[string]any{"b": 1, "a": "x", "c": nil}, nil, part("a", "", "x") + part("b", "", "1")},
		{"object as JSON", map[string]any{"o": rgb}, nil, part("o", "application/json", `{"R":100,"G":200,"B":150}`)},
		{"scalar as JSON", map[string]any{"s": "x"}, []wire.Encoding{{Property: "s", ContentType: "application/json"}}, part("s", "application/json", `"x"`)},
		{"array as JSON", map[string]any{"s": []int{1, 2}}, []wire.Encoding{{Property: "s", ContentType: "application/json"}}, part("s", "application/json", `[1,2]`)},
		{"object with another type", map[string]any{"o": rgb}, []wire.Encoding{{Property: "o", ContentType: "text/x"}}, part("o", "text/x", `{"R":100,"G":200,"B":150}`)},
		{"array of arrays", map[string]any{"s": [][]int{{1}, {2}}}, nil, part("s", "application/json", `[1]`) + part("s", "application/json", `[2]`)},
		{"explicit null", map[string]any{"n": wire.Null[int]()}, nil, part("n", "", "")},
		{"names are quoted", map[string]any{"a\"\r\nX: y\\é": "v"}, nil, part("a%22%0D%0AX: y%5Cé", "", "v")},
		{"types cannot add headers", map[string]any{"s": "x"}, []wire.Encoding{{Property: "s", ContentType: "text/x\r\nX: y"}}, part("s", "text/xX: y", "x")},
		{
			"files by value",
			map[string]any{"f": wire.File{Name: "x", ContentType: "a/b", Content: strings.NewReader("1")}, "g": []wire.File{*wire.FromBytes("y", []byte("2"))}, "h": (*wire.File)(nil)},
			nil,
			part(`f"; filename="x`, "a/b", "1") + part(`g"; filename="y`, "application/octet-stream", "2"),
		},
		{
			"the file's name says which of the declared types it has",
			map[string]any{"a": wire.FromBytes("A.PNG", nil), "b": wire.FromBytes("b.pdf", nil), "c": wire.FromBytes("c", nil), "d": wire.FromBytes("d.png", nil), "e": wire.FromBytes("e", nil), "f": wire.FromBytes("f.json", nil), "g": wire.FromBytes("g.json", nil)},
			[]wire.Encoding{
				{Property: "a", ContentType: "application/pdf, image/png"},
				{Property: "b", ContentType: "image/*, application/pdf"},
				{Property: "c", ContentType: "application/pdf, image/png"},
				{Property: "d", ContentType: "image/jpeg"},
				{Property: "e", ContentType: "image/*"},
				{Property: "f", ContentType: "application/vnd.x+json; v=1"},
				{Property: "g", ContentType: "image/png, application/vnd.x+json"},
			},
			part(`a"; filename="A.PNG`, "image/png", "") + part(`b"; filename="b.pdf`, "application/pdf", "") +
				part(`c"; filename="c`, "application/octet-stream", "") + part(`d"; filename="d.png`, "image/jpeg", "") +
				part(`e"; filename="e`, "application/octet-stream", "") + part(`f"; filename="f.json`, "application/vnd.x+json; v=1", "") +
				part(`g"; filename="g.json`, "application/vnd.x+json", ""),
		},
		{
			"array as one of several types",
			map[string]any{"s": []int{1, 2}},
			[]wire.Encoding{{Property: "s", ContentType: "application/json, text/plain"}},
			part("s", "application/json", `[1,2]`),
		},
		{"nothing", nil, nil, ""},
		{"nil pointer", (*upload)(nil), nil, ""},
	} {
		b, err := wire.Multipart(tt.v, tt.enc)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := plain(t, b); got != tt.want+"--BOUND--\r\n" {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
	type embedding struct{ color }
	for _, v := range []any{1, []string{"a"}, map[string]any{"a": make(chan int)}, map[int]string{1: "a"}, embedding{}} {
		var paramErr *wire.ParamError
		if _, err := wire.Multipart(v, nil); !errors.As(err, &paramErr) {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// The boundary is the same for the same content, differs for other content, and is not that of a content that
// somebody could know beforehand.
func TestBoundary(t *testing.T) {
	t.Parallel()
	make1 := func(v any) string {
		b, err := wire.Multipart(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		return b.ContentType
	}
	a, again, other := make1(map[string]any{"a": 1}), make1(map[string]any{"a": 1}), make1(map[string]any{"a": 2})
	if a != again || a == other || a != "multipart/form-data; boundary=84809259dbad3583a3dfe2af00643839c7988ff8" {
		t.Errorf("%s, %s, %s", a, again, other)
	}
	file := func(text string) any { return map[string]any{"f": wire.FromBytes("n", []byte(text))} }
	if x := make1(file("x")); x != make1(file("x")) || x == make1(file("y")) {
		t.Error("the boundary of files in memory is not that of their content")
	}
	reader := func() any { return map[string]any{"f": wire.FromReader("n", strings.NewReader("x"))} }
	if x := make1(reader()); x != make1(reader()) {
		t.Error("the boundary changes within the process")
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "doc.txt")
	if err := os.WriteFile(path, []byte("disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := wire.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if disk.Name != "doc.txt" || disk.Size != 4 {
		t.Errorf("got %+v", disk)
	}
	if _, err := wire.FromFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	half := strings.NewReader("skipped,kept")
	if _, err := half.Seek(8, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	pipe, _ := io.Pipe()
	for _, tt := range []struct {
		name       string
		file       *wire.File
		length     int64
		replayable bool
		want       string
	}{
		{"bytes", wire.FromBytes("n", []byte("mem")), 3, true, "mem"},
		{"no bytes", wire.FromBytes("n", nil), 0, true, ""},
		{"disk", disk, 4, true, "disk"},
		{"rewound to where it was", wire.FromReader("n", half), 4, true, "kept"},
		{"buffer, sent once", wire.FromReader("n", bytes.NewBufferString("once")), 4, false, "once"},
		{"unknown length", wire.FromReader("n", iotest.OneByteReader(strings.NewReader("?"))), -1, false, "?"},
		{"announced length", &wire.File{Content: iotest.OneByteReader(strings.NewReader("12")), Size: 2}, 2, false, "12"},
		{"opened", &wire.File{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("o")), nil }}, -1, true, "o"},
		{"none", &wire.File{}, 0, true, ""},
		{"a pipe", wire.FromReader("n", pipe), -1, false, ""},
	} {
		b := wire.FileBody(tt.file)
		if b.Len != tt.length || b.Replayable != tt.replayable || b.ContentType != "application/octet-stream" {
			t.Errorf("%s: %+v", tt.name, b)
		}
		if tt.name == "a pipe" {
			continue
		}
		if got := content(t, b); got != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
		r, err := b.Open()
		if tt.replayable != (err == nil) || err != nil && !errors.Is(err, wire.ErrNotReplayable) {
			t.Errorf("%s, opened again: %v", tt.name, err)
		}
		if err == nil {
			if text, _ := io.ReadAll(r); string(text) != tt.want {
				t.Errorf("%s, the second time: %q", tt.name, text)
			}
		}
	}
}

func TestBodyClosesItsFiles(t *testing.T) {
	t.Parallel()
	closed, broken := 0, errors.New("disk is gone")
	open := func() (io.ReadCloser, error) { return closer{strings.NewReader("x"), &closed}, nil }
	files := []*wire.File{{Open: open}, {Open: open}}
	b, err := wire.Multipart(upload{Files: files}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil || closed != 2 {
		t.Errorf("%d closed, %v", closed, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d bytes after the close, %v", n, err)
	}
	files[1].Open = func() (io.ReadCloser, error) { return nil, broken }
	if b, err = wire.Multipart(upload{Files: files}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(); !errors.Is(err, broken) || closed != 3 {
		t.Errorf("%d closed, %v", closed, err)
	}
	b = wire.FileBody(wire.FromReader("", iotest.ErrReader(broken)))
	if r, err = b.Open(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type closer struct {
	io.Reader
	n *int
}

func (c closer) Close() error { *c.n++; return nil }

// Whatever the names and contents are, mime/multipart reads one part with that content and no more.
func FuzzMultipart(f *testing.F) {
	f.Add("name", "file.png", "content", "text")
	f.Add("a\"\r\nX: y", "..\\\"; filename=\"b", "--\r\n\r\n", "\x00\xff")
	f.Fuzz(func(t *testing.T, name, fileName, data, text string) {
		b, err := wire.Multipart(map[string]any{name: wire.FromBytes(fileName, []byte(data)), name + "2": []byte(text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, params, err := mime.ParseMediaType(b.ContentType)
		if err != nil {
			t.Fatal(err)
		}
		r := multipart.NewReader(strings.NewReader(content(t, b)), params["boundary"])
		n := 0
		for {
			part, err := r.NextRawPart()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(part)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if len(part.Header) > 2 || part.Header.Get("Content-Type") != "" && string(got) != data {
				t.Fatalf("%q %q: header %v, content %q", name, fileName, part.Header, got)
			}
		}
		if n != 2 {
			t.Fatalf("%d parts", n)
		}
	})
}
