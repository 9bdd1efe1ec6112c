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
	{"intercom", []string{"get_download_reporting_data_by_job_identifier"}, `"header","accept"`, documents, "declares Accept as a parameter, which the specification says is ignored, and no content that could be accepted"},
	{"intercom", []string{"createConversation"}, "must match format", documents, "demands a uuid that is 24 characters long"},
	{"lob", []string{"informed_delivery_campaign_create"}, "must be object", prisms, "reads each part of multipart/form-data as text, also where its schema is an object"},
	{"modern-treasury", []string{"createBulkRequest"}, "must match exactly one schema in oneOf", documents, "has an alternative that fits every object, so that two fit what one alone should"},
	{"mollie", nil, "Request query parameter amount must have required property", prisms, "reads a deepObject parameter that is not sent, and need not be, as an empty object"},
	{"okta-oauth", nil, "post_logout_redirect_uris: want string, got array", documents, "shows an array where its schema has a string; Prism cannot make up another answer"},
	{"ory", []string{"updateLoginFlow", "updateRegistrationFlow", "updateSettingsFlow"}, "must have required property", documents, "has alternatives that demand no more than others do, so that two fit what one alone should"},
	{"shipengine", []string{"list_shipments", "list_shipment_rates"}, "cannot be decoded", prisms, "makes up \"????\" for an integer and an id for a date-time, and crashes when asked for another answer"},
	{"twilio-conversations", nil, "Request body property Permission must be array", prisms, "keeps the last of several members of one name in a form without an Encoding Object, so no array can be sent"},
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
