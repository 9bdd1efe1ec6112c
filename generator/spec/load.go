package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Options says where a document comes from and what loading it may touch.
type Options struct {
	// Path is a file, "-" for standard input, or an http(s) URL, which needs AllowRemote as remote references do.
	Path string
	// Stdin is read when Path is "-".
	Stdin io.Reader
	// Overlays are files in the OpenAPI Overlay 1.0 format, applied in order before anything looks at the document.
	Overlays []string
	// AllowRemote lets references to other hosts be fetched, once: the answer is kept in CacheDir.
	AllowRemote bool
	// CacheDir is where fetched documents are kept; "" is a folder retrysafe in the user's cache.
	CacheDir string
	// Client fetches; nil is a client that gives up after ten seconds.
	Client *http.Client
}

// Document is a loaded document with its references linked.
type Document struct {
	Root *Node
	// Name is the base name of the file, for the headers of what is made from it.
	Name string
	// Minor is the second number of the version: 0 for 3.0.x, 1 for 3.1.x.
	Minor int
	// Diagnostics are what is wrong with it and could be read all the same.
	Diagnostics []Diagnostic
}

// MaxBytes is the largest file that is read.
const MaxBytes = 256 << 20

// Load reads a document and every file it refers to. It refuses, with an [*Error] that names the place, what is not
// there, not YAML or JSON, not OpenAPI 3, or hides behind a URL that may not be fetched.
func Load(ctx context.Context, opts Options) (*Document, error) {
	l := &loader{ctx: ctx, opts: opts, files: map[string]*File{}, linked: map[*Node]state{}}
	file, err := l.root()
	if err != nil {
		return nil, err
	}
	if err := l.version(file); err != nil {
		return nil, err
	}
	for _, path := range opts.Overlays {
		if err := l.overlay(file, path); err != nil {
			return nil, err
		}
	}
	l.doc.Root = file.Root
	l.queue = append(l.queue, target{node: file.Root})
	if err := l.link(); err != nil {
		return nil, err
	}
	return &l.doc, nil
}

// loader holds what one call of Load has read so far.
type loader struct {
	ctx    context.Context //nolint:containedctx // lives as long as the one call of Load it belongs to
	opts   Options
	doc    Document
	files  map[string]*File
	linked map[*Node]state
	queue  []target
	failed []Diagnostic
}

func (l *loader) warnf(pos Position, code, format string, args ...any) {
	l.doc.Diagnostics = append(l.doc.Diagnostics, Diagnostic{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (l *loader) root() (*File, error) {
	path := l.opts.Path
	switch {
	case path == "-":
		l.doc.Name = "openapi.yaml"
		data, err := io.ReadAll(io.LimitReader(l.opts.Stdin, MaxBytes+1))
		if err != nil {
			return nil, fmt.Errorf("reading the document from standard input: %w", err)
		}
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("finding the folder that references start from: %w", err)
		}
		return l.add("<stdin>", filepath.Join(dir, "<stdin>"), data)
	case isURL(path):
		u, err := url.Parse(path)
		if err != nil {
			return nil, Errorf(Position{File: path}, "bad-url", "this URL cannot be read: %v", err)
		}
		l.doc.Name = filepath.Base(u.Path)
		return l.remote(path, Position{File: path})
	default:
		l.doc.Name = filepath.Base(path)
		return l.local(path, path, Position{File: path})
	}
}

// local reads a file of this machine; name is how messages call it, and from is the place that asked for it.
func (l *loader) local(name, path string, from Position) (*File, error) {
	location, err := filepath.Abs(path)
	if err != nil {
		return nil, Errorf(from, "no-such-file", "the path %s cannot be made absolute: %v", path, err)
	}
	if f := l.files[location]; f != nil {
		return f, nil
	}
	info, err := os.Stat(location)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Errorf(from, "no-such-file", "there is no file %s", name)
	case err != nil:
		return nil, Errorf(from, "unreadable", "the file %s cannot be read: %v", name, err)
	case info.IsDir():
		return nil, Errorf(from, "unreadable", "%s is a folder; name the OpenAPI document in it", name)
	case info.Size() > MaxBytes:
		return nil, Errorf(from, "too-large", "%s is larger than %d MiB", name, MaxBytes>>20)
	}
	data, err := os.ReadFile(location) //nolint:gosec // the user names the document, and the document its parts
	if err != nil {
		return nil, Errorf(from, "unreadable", "the file %s cannot be read: %v", name, err)
	}
	return l.add(name, location, data)
}

// add parses a file and keeps it under its location.
func (l *loader) add(name, location string, data []byte) (*File, error) {
	file := &File{Name: name, Location: location, resolved: map[string]*Node{}}
	root, diags, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	l.doc.Diagnostics = append(l.doc.Diagnostics, diags...)
	file.Root = root
	l.files[location] = file
	return file, nil
}

// Parse reads one file of JSON or YAML without following references; name is for messages.
func Parse(name string, data []byte) (*Node, []Diagnostic, error) {
	return parse(&File{Name: name, resolved: map[string]*Node{}}, data)
}

func parse(file *File, data []byte) (*Node, []Diagnostic, error) {
	at := Position{File: file.Name}
	if len(data) > MaxBytes {
		return nil, nil, Errorf(at, "too-large", "the document is larger than %d MiB", MaxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if bytes.HasPrefix(data, []byte("\xFE\xFF")) || bytes.HasPrefix(data, []byte("\xFF\xFE")) {
		return nil, nil, Errorf(at, "not-utf8", "the document is UTF-16; save it as UTF-8")
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 {
		return nil, nil, Errorf(at, "empty", "the document is empty")
	}
	if trimmed[0] != '{' && trimmed[0] != '[' {
		root, diags, err := parseYAML(file, data)
		if err != nil {
			return nil, nil, err
		}
		return root, diags, nil
	}
	root, diags, notJSON := parseJSON(file, data)
	if notJSON == nil {
		return root, diags, nil
	}
	root, diags, notYAML := parseYAML(file, data)
	if notYAML != nil {
		return nil, nil, notJSON
	}
	return root, diags, nil
}

func (l *loader) version(file *File) error {
	root := file.Root
	at := root.Pos()
	if root.Kind != Object {
		return Errorf(at, "not-openapi", "this is not an OpenAPI document: it holds one %s, not an object with openapi, info and paths", root.Kind)
	}
	if v := root.Get("swagger"); v != nil {
		return Errorf(v.Pos(), "swagger-2", "this is a Swagger %s document; retrysafe reads OpenAPI 3.0 and 3.1. Convert it first, for example with swagger2openapi", v.Text())
	}
	v := root.Get("openapi")
	if v == nil {
		return Errorf(at, "not-openapi", "this is not an OpenAPI document: the member openapi, such as openapi: 3.1.0, is missing")
	}
	text := v.Text()
	switch {
	case text == "3.0" || strings.HasPrefix(text, "3.0."):
	case text == "3.1" || strings.HasPrefix(text, "3.1."):
		l.doc.Minor = 1
	case text == "3" || strings.HasPrefix(text, "3."):
		l.doc.Minor = 1
		l.warnf(v.Pos(), "openapi-version", "OpenAPI %s is read as 3.1", text)
	default:
		return Errorf(v.Pos(), "openapi-version", "retrysafe reads OpenAPI 3.0 and 3.1, not %q", text)
	}
	return nil
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}
