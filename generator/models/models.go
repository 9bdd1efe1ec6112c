// Package models prints the named types of a plan through oapi-codegen with our templates.
//
// oapi-codegen sees a document made for it: one component for each type, its Go name and declaration settled, so that
// nothing in it depends on what the user's document looks like. What the library does with process-wide state, with the
// document object, with unknown template names and with formatting is closed off here; docs/decisions tells how.
package models

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/templates"
)

// generating guards oapi-codegen's package-level state.
var generating sync.Mutex

const (
	extension = "x-retrysafe"
	head      = "//retrysafe:head"
	marker    = "\n//retrysafe:type "
)

// Declarations gives the Go text of each type by name: comment, declaration and methods, not yet formatted.
func Declarations(types []*plan.Type) (map[string]string, error) {
	if len(types) == 0 {
		return map[string]string{}, nil
	}
	texts, err := overrides()
	if err != nil {
		return nil, err
	}
	generating.Lock()
	defer generating.Unlock()
	out, err := codegen.Generate(document(types), codegen.Configuration{
		PackageName: "models",
		Generate:    codegen.GenerateOptions{Models: true},
		OutputOptions: codegen.OutputOptions{
			SkipFmt:       true,
			SkipPrune:     true,
			UserTemplates: texts,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("oapi-codegen: %w", err)
	}
	return split(out, types)
}

// document is a fresh document for each run: Generate changes the one it is given.
func document(types []*plan.Type) *openapi3.T {
	names := enumLiterals(types)
	schemas := make(openapi3.Schemas, len(types))
	for _, t := range types {
		schemas[t.Name] = &openapi3.SchemaRef{Value: &openapi3.Schema{Extensions: map[string]any{
			"x-go-name": t.Name,
			"x-go-type": "struct{}",
			extension:   newDeclaration(t, names),
		}}}
	}
	return &openapi3.T{
		OpenAPI:    "3.0.3",
		Info:       &openapi3.Info{Title: "types", Version: "1"},
		Paths:      openapi3.NewPaths(),
		Components: &openapi3.Components{Schemas: schemas},
	}
}

// overrides are our templates by name. A text without a line break would be fetched as a URL.
func overrides() (map[string]string, error) {
	texts := map[string]string{}
	dir := templates.Models()
	names, err := fs.Glob(dir, "*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		texts[name] = string(text)
		if !strings.HasSuffix(texts[name], "\n") {
			return nil, errors.New("template " + name + " does not end with a line break")
		}
	}
	return texts, nil
}

// split takes the output apart at the markers. A type without one means that the library did not use our templates: it
// takes names that it does not know in silence.
func split(out string, types []*plan.Type) (map[string]string, error) {
	parts := strings.Split(out, marker)
	if text := strings.TrimSpace(parts[0]); text != head {
		return nil, fmt.Errorf("oapi-codegen printed text that no template of ours prints: %.80q", text)
	}
	texts := make(map[string]string, len(types))
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		texts[name] = text
	}
	for _, t := range types {
		if texts[t.Name] == "" {
			return nil, fmt.Errorf("oapi-codegen did not print type %s: it does not know our template typedef.tmpl", t.Name)
		}
	}
	return texts, nil
}
