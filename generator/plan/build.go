package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// Options are the decisions that the document does not make.
type Options struct {
	// Package is the name of the Go package.
	Package string
	// EnvPrefix begins the names of environment variables; "" is made of the title.
	EnvPrefix string
	// Names maps JSON pointers of schemas, operations and tags, as Plan.Names has them, to Go names that win.
	Names map[string]string
	// Tags and Operations choose a part of the document by tag and by operation id; both empty is all of it.
	Tags, Operations []string
	// KeyEveryWrite sends an idempotency key with every POST and PATCH, declared or not; KeyHeader is its header,
	// "" is Idempotency-Key.
	KeyEveryWrite bool
	KeyHeader     string
	// PerOperation maps operation ids to mappings with the members idempotency, retry and pagination, of the same content
	// as the extensions x-idempotency, x-retry and x-pagination, which they replace; nil says nothing.
	PerOperation *spec.Node
}

// Build works out the plan of a document that normalise has prepared. The error is a config that names what is not
// there; the document itself is never one.
func Build(doc *normalise.Document, opts Options) (*Plan, error) {
	b := &builder{
		doc: doc, opts: opts,
		plan:   &Plan{Package: opts.Package, Source: doc.Name},
		global: newScope(append(slices.Clone(packageNames), ReservedTypes...)...),
		named:  map[*spec.Node]*named{},
		used:   map[string]bool{},
	}
	b.info()
	ops, err := b.choose()
	if err != nil {
		return nil, err
	}
	b.subset = len(opts.Tags) > 0 || len(opts.Operations) > 0
	b.components()
	b.services(ops)
	b.declareHoisted(ops)
	b.multipartBodies(ops)
	b.markErrors(ops)
	b.emitTypes()
	b.resolveConstants()
	b.breakRecursion()
	b.security()
	for _, o := range b.ops {
		b.method(o)
	}
	b.jobs()
	b.webhooks()
	b.schemes()
	b.prune()
	b.share()
	b.files()
	b.summary()
	if len(b.failed) > 0 {
		return nil, &spec.Error{Diagnostics: b.failed}
	}
	return b.plan, b.unknownNames()
}

// builder holds what the steps of Build share.
type builder struct {
	doc    *normalise.Document
	opts   Options
	plan   *Plan
	subset bool // only a part of the document was asked for

	global    *scope
	named     map[*spec.Node]*named
	byName    map[string]*named // by Go name
	order     []*named
	visited   map[*spec.Node]bool   // schemas without a name that were looked into
	later     []pending             // targets of references that are no components; named after everything else
	multipart map[*spec.Node]*named // structs with files, by schema

	ops         []*operation
	constFields []constField
	holders     []holder
	heldDocs    map[*Type]bool    // types whose comment names the member that they are of
	scopes      map[string]string // services by the pointer of their operations
	used        map[string]bool   // pointers of Options.Names that were found
	widest      int               // places where no Go type says what the schema says
	failed      []spec.Diagnostic
}

// operation is an operation on its way to a Method.
type operation struct {
	*normalise.Operation
	base     string // Go name that its types are made of: CreateOrder
	tag      string
	service  *Service
	method   *Method
	stream   *Method    // the twin that streams
	keyParam *spec.Node // the parameter that is the idempotency key
}

func (b *builder) info() {
	info := b.doc.Root.Get("info")
	p := b.plan
	p.Title = strings.TrimSpace(info.Str("title"))
	p.Version = info.Str("version")
	p.Description = docText(info.Str("description"))
	if p.Description == "" {
		p.Description = docText(info.Str("summary"))
	}
	p.DocsURL = b.doc.Root.At("externalDocs", "url").Text()
	p.EnvPrefix = b.opts.EnvPrefix
	if p.EnvPrefix == "" {
		p.EnvPrefix = envPrefix(p.Title, p.Package)
	}
	p.Servers = b.servers(b.doc.Root.Get("servers"), true)
	if base := filepath.Base(p.Source); base != "." {
		p.Source = base
	}
}

// envPrefix makes SHOP of "Shop API": words that say that it is an API say nothing.
func envPrefix(title, pkg string) string {
	var kept []string
	for _, w := range words(title) {
		switch lower := strings.ToLower(w); lower {
		case "api", "apis", "rest", "the", "openapi", "specification", "spec", "v1", "v2", "v3", "public", "documentation", "http", "swagger":
		default:
			kept = append(kept, strings.ToUpper(asciiOnly(w)))
		}
	}
	prefix := strings.Trim(strings.Join(kept, "_"), "_")
	if prefix == "" || len(kept) > 3 || beginsWithDigit(prefix) {
		prefix = strings.ToUpper(asciiOnly(pkg))
	}
	return prefix
}

func asciiOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 {
			return r
		}
		return -1
	}, s)
}

// override gives the config's name for a place of the document.
func (b *builder) override(pointer string) string {
	name, ok := b.opts.Names[pointer]
	if ok {
		b.used[pointer] = true
	}
	return name
}

func (b *builder) unknownNames() error {
	var missing []string
	for pointer := range b.opts.Names {
		if !b.used[pointer] {
			missing = append(missing, pointer)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &UnknownNameError{Pointers: missing}
}

// UnknownNameError says that the config renames what the document does not have.
type UnknownNameError struct{ Pointers []string }

// Error names the pointers.
func (e *UnknownNameError) Error() string {
	return "the config renames what the document does not have: " + strings.Join(e.Pointers, ", ")
}

func (b *builder) note(pointer, kind, name string) {
	b.plan.Names = append(b.plan.Names, Name{Pointer: pointer, Kind: kind, Go: name})
}
