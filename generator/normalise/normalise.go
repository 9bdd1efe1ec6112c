// Package normalise rewrites a document, in small named passes, until it says one thing in one way, so that everything
// after it handles one form: types are single words, enums hold values of their type, allOf is gone, every operation
// has an id of its own and declares its path parameters.
//
// What the author got wrong and can be read in one sensible way is read so, with a warning that says what was assumed.
package normalise

import (
	"fmt"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// Document is a document after all passes.
type Document struct {
	*spec.Document
	Operations []*Operation // in document order
	Webhooks   []*Operation // named by Path
	// Tags are the discriminator values that a schema stands for, by property, from the mapping of the schemas it
	// extends.
	Tags map[*spec.Node]map[string]string
	// Widened are the places where a schema says more than a Go type can; the widest type stands there.
	Widened []spec.Diagnostic
}

// Operation is one method of one path, or one webhook.
type Operation struct {
	ID      string
	Method  string // upper case
	Path    string // template, or the name of the webhook
	Pointer string // JSON pointer of the operation object
	Node    *spec.Node
	Item    *spec.Node   // the path item
	Params  []*spec.Node // path item's and own, without references, each name and place once
	Made    bool         // the id was made up
}

// pass is one rewriting. Exactly one of the functions is set.
type pass struct {
	name   string
	schema func(*state, *spec.Node) // called for every schema, parents first
	doc    func(*state)
}

// passes run in this order. Each is written down, with its reason, in the file of its name.
var passes = []pass{
	{name: "map-order", doc: mapOrder},
	{name: "boolean-schemas", schema: booleanSchemas},
	{name: "ref-siblings", schema: refSiblings},
	{name: "known-types", schema: knownTypes},
	{name: "type-lists", schema: typeLists},
	{name: "const", schema: constToEnum},
	{name: "null-variants", schema: nullVariants},
	{name: "infer-type", schema: inferType},
	{name: "enum-values", schema: enumValues},
	{name: "items", schema: items},
	{name: "open-members", schema: openMembers},
	{name: "conditions", schema: conditions},
	{name: "required", schema: required},
	{name: "defaults", schema: defaults},
	{name: "discriminator-tags", doc: discriminatorTags},
	{name: "all-of", doc: mergeAllOfs},
	{name: "unions", doc: simplifyUnions},
	{name: "operations", doc: operations},
	{name: "parameters", doc: parameters},
	{name: "path-parameters", doc: pathParameters},
	{name: "operation-ids", doc: operationIDs},
	{name: "equivalent-paths", doc: equivalentPaths},
}

// state is what the passes share.
type state struct {
	*Document
	budget int
	walks  uint32 // over the tree, so far
	merged map[*spec.Node]progress
	// pairs and eithers are the schemas made for members that two schemas declare, so that recursion ends.
	pairs, eithers map[[2]*spec.Node]*spec.Node
	unified        map[*spec.Node]bool
}

// mergeBudget bounds the members that merging may copy: a document that needs more is an attack or a mistake.
const mergeBudget = 20_000_000

// Run applies all passes to the document, which it changes.
func Run(doc *spec.Document) (*Document, error) {
	s := &state{
		Document: &Document{Document: doc, Tags: map[*spec.Node]map[string]string{}},
		budget:   mergeBudget,
		merged:   map[*spec.Node]progress{},
		pairs:    map[[2]*spec.Node]*spec.Node{},
		eithers:  map[[2]*spec.Node]*spec.Node{},
		unified:  map[*spec.Node]bool{},
	}
	for _, p := range passes {
		if p.doc != nil {
			p.doc(s)
		} else {
			s.eachSchema(func(n *spec.Node) { p.schema(s, n) })
		}
		if s.budget < 0 {
			return nil, spec.Errorf(doc.Root.Pos(), "too-large",
				"the schemas of this document grow past %d members when they are merged", mergeBudget)
		}
	}
	return s.Document, nil
}

func (s *state) warnf(at *spec.Node, code, format string, args ...any) {
	s.Diagnostics = append(s.Diagnostics, spec.Diagnostic{Pos: at.Pos(), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (s *state) widen(at *spec.Node, message string) {
	s.Widened = append(s.Widened, spec.Diagnostic{Pos: at.Pos(), Code: "widened", Message: message})
}
