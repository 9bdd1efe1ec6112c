package main

import (
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/peers/smoke"
)

// known is a failure that was looked into and is not the SDK's.
type known struct {
	document   string   // "" is any
	operations []string // nil is any
	text       string   // part of what was said
	whose, why string
}

var explained = []known{
	{"", nil, "string is not base64", "Prism", "answers `format: byte` with text that is not base64"},
	{"", nil, "errors#SCHEMA_TOO_COMPLEX", "Prism", "cannot make an answer: the schema is too complex for it"},
}

func reason(document string, o smoke.Outcome) (whose, why string) {
	for _, k := range explained {
		if (k.document == "" || k.document == document) && (k.operations == nil || slices.Contains(k.operations, o.ID)) && strings.Contains(o.Detail, k.text) {
			return k.whose, k.why
		}
	}
	return "", ""
}
