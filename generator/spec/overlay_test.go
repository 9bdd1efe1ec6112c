package spec_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/spec"
)

const overlaid = `openapi: 3.1.0
info: {title: Old, version: '1'}
tags: [{name: a}]
paths:
  /a:
    get: {operationId: getA, x-internal: true, parameters: [{name: x}, {name: y}]}
    post: {operationId: postA}
  /b:
    get: {operationId: getB}
`

func withOverlay(t *testing.T, overlay string) (*spec.Document, error) {
	t.Helper()
	dir := folder(t, map[string]string{"api.yaml": overlaid, "over.yaml": overlay})
	return spec.Load(context.Background(), spec.Options{Path: filepath.Join(dir, "api.yaml"), Overlays: []string{filepath.Join(dir, "over.yaml")}})
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	doc, err := withOverlay(t, `overlay: 1.0.0
info: {title: t, version: '1'}
actions:
  - target: $.info
    update: {title: New, description: Added}
  - target: $.paths.*[?@['x-internal'] == true]
    remove: true
  - target: $.paths['/a'].post
    update: {x-idempotency: {header: Idempotency-Key}, tags: [a]}
  - target: $.tags
    update: {name: b}
  - target: $.nothing
    remove: true
`)
	if err != nil {
		t.Fatal(err)
	}
	root := doc.Root
	if root.At("info", "title").Text() != "New" || root.At("info", "version").Text() != "1" || root.At("info", "description").Text() != "Added" {
		t.Error("info was not merged")
	}
	if root.At("paths", "/a", "get") != nil {
		t.Error("the internal operation is still there")
	}
	if root.At("paths", "/a", "post", "x-idempotency", "header").Text() != "Idempotency-Key" {
		t.Error("the extension was not added")
	}
	if tags := root.Get("tags").List(); len(tags) != 2 || tags[1].Str("name") != "b" {
		t.Error("an array is not appended to")
	}
	if len(doc.Diagnostics) != 1 || doc.Diagnostics[0].Pos.Line != 12 {
		t.Errorf("warnings: %v", doc.Diagnostics)
	}
}

func TestOverlayRemovesSeveralItemsOfAList(t *testing.T) {
	t.Parallel()
	doc, err := withOverlay(t, "overlay: 1.0.0\nactions:\n  - target: $.paths['/a'].get.parameters[*]\n    remove: true\n")
	if err != nil {
		t.Fatal(err)
	}
	if left := doc.Root.At("paths", "/a", "get", "parameters").List(); len(left) != 0 {
		t.Errorf("%d parameters are left", len(left))
	}
}

func TestOverlayRefusals(t *testing.T) {
	t.Parallel()
	for overlay, want := range map[string]string{
		"openapi: 3.0.0":                                                    "over.yaml:1:1: this is not an overlay",
		"overlay: 1.0.0":                                                    "has no list of actions",
		"overlay: 1.0.0\nactions: [{}]":                                     "over.yaml:2:11: this action has no target",
		"overlay: 1.0.0\nactions: [{target: 'paths'}]":                      "over.yaml:2:20: the target \"paths\" is not a JSONPath",
		"overlay: 1.0.0\nactions: [{target: $.info}]":                       "neither updates nor removes",
		"overlay: 1.0.0\nactions: [{target: $.info.title, update: {a: b}}]": "neither an object nor an array",
	} {
		if _, err := withOverlay(t, overlay); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", overlay, err, want)
		}
	}
}
