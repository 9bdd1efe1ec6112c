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

const (
	prisms    = "Prism"
	documents = "document"
)

var explained = []known{
	{"", nil, "string is not base64", prisms, "answers `format: byte` with text that is not base64"},
	{"", nil, "errors#SCHEMA_TOO_COMPLEX", prisms, "cannot make an answer: the schema is too complex for it"},
	{"", nil, "Cannot find serializer for", prisms, "cannot answer with this content type"},
	{"", nil, "errors#NO_COMPLEX_OBJECT_TEXT", prisms, "cannot answer with this content type"},
	{"", nil, "bad Content-Length", prisms, "makes up a Content-Length header that is negative"},
	{"elevenlabs", nil, "files must be array", prisms, "keeps the last of several parts of one name, so no array can be sent as multipart/form-data"},
	{"formance-ledger", []string{"v2ImportLogs"}, "Request body must be object", prisms, "does not read application/octet-stream as the object that the schema describes"},
	{"intercom", []string{"lisDataEvents"}, "must have required property", prisms, "reads an exploded object by `properties` alone and not by those of a oneOf"},
	{"intercom", []string{"createConversation"}, "must match format", documents, "demands a uuid that is 24 characters long"},
	{"shipengine", []string{"calculate_rates", "compare_bulk_rates", "estimate_rates"}, "", documents, "demands members and forbids them: additionalProperties: false without their properties"},
}

func reason(document string, o smoke.Outcome) (whose, why string) {
	for _, k := range explained {
		if (k.document == "" || k.document == document) && (k.operations == nil || slices.Contains(k.operations, o.ID)) && strings.Contains(o.Detail, k.text) {
			return k.whose, k.why
		}
	}
	return "", ""
}
