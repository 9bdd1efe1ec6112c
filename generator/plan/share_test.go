package plan_test

import (
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
)

const repeated = `openapi: 3.1.0
info: {title: Repeated, version: "1"}
paths:
  /boats:
    get:
      operationId: listBoats
      tags: [Boats]
      responses:
        "200": {description: ok, content: {application/json: {schema: {type: object, properties: {data: {type: array, items: BOAT}}}}}}
        "400": {description: bad, content: {application/json: {schema: ERROR}}}
  /boats/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getBoat
      tags: [Boats]
      responses:
        "200": {description: ok, content: {application/json: {schema: BOAT}}}
        "400": {description: bad, content: {application/json: {schema: ERROR}}}
    put:
      operationId: replaceBoat
      tags: [Boats]
      requestBody: {content: {application/json: {schema: OTHER}}}
      responses:
        "200": {description: ok, content: {application/json: {schema: BOAT}}}
  /docks:
    get:
      operationId: getDock
      tags: [Docks]
      responses:
        "200": {description: ok, content: {application/json: {schema: BOAT}}}
`

func repeatedPlan(t *testing.T, replacements ...string) *plan.Plan {
	t.Helper()
	boat := "{type: object, description: A boat., properties: {name: {type: string, description: Painted on it.}, kind: {type: string, enum: [sail, motor]}, " +
		"engine: {oneOf: [{type: string}, {type: object, required: [hp], properties: {hp: {type: integer}}}]}}}"
	text := strings.NewReplacer(
		"BOAT", boat, "OTHER", strings.Replace(boat, "Painted on it.", "To be painted on it.", 1),
		"ERROR", "{type: object, properties: {code: {type: string}}}",
	).Replace(strings.NewReplacer(replacements...).Replace(repeated))
	return build(t, text)
}

// described gives "kind base" of each type.
func described(p *plan.Plan) map[string]string {
	out := map[string]string{}
	for _, typ := range p.Types {
		out[typ.Name] = strings.TrimSpace(string(typ.Kind) + " " + typ.Base)
	}
	return out
}

// Inline schemas of one service that say the same are one type with several names; those that differ by a word, and
// those of other services, are types of their own.
func TestEqualInlineSchemasAreOneType(t *testing.T) {
	t.Parallel()
	p := repeatedPlan(t)
	got := described(p)
	for name, want := range map[string]string{
		"GetBoatResponse":           "struct",
		"ListBoatsResponseDataItem": "alias GetBoatResponse",
		"ReplaceBoatResponse":       "alias GetBoatResponse",
		"GetBoatResponseKind":       "enum string",
		"ReplaceBoatResponseKind":   "alias GetBoatResponseKind",
		"ReplaceBoatRequest":        "struct",
		"GetDockResponse":           "struct",
		"GetDockResponseKind":       "enum string",
		"GetBoatBadRequestError":    "struct",
		"ListBoatsBadRequestError":  "alias GetBoatBadRequestError",
		"GetBoatResponseEngine":     "union",
		"ReplaceBoatResponseEngine": "alias GetBoatResponseEngine",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, m := range p.Services[0].Methods {
		for _, e := range m.Errors {
			if e.Type != "GetBoatBadRequestError" {
				t.Errorf("%s fails with %s", m.GoName, e.Type)
			}
		}
	}
	for _, typ := range p.Types {
		if typ.Name == "ReplaceBoatResponseKind" && (len(typ.Values) != 2 || typ.Values[0].GoName != "ReplaceBoatResponseKindSail") {
			t.Errorf("the constants of another name are gone: %v", typ.Values)
		}
		if typ.Name == "GetBoatBadRequestError" && typ.ErrorText != "API error" {
			t.Errorf("a shared error calls itself %q", typ.ErrorText)
		}
	}
}

// No name goes when an equal schema comes, wherever it stands.
func TestSharingRenamesNothing(t *testing.T) {
	t.Parallel()
	before := described(repeatedPlan(t))
	after := described(repeatedPlan(t, "paths:\n", "paths:\n  /a: {get: {operationId: a, tags: [Boats], responses: {'200': {description: ok, content: {application/json: {schema: BOAT}}}}}}\n"))
	for name := range before {
		if after[name] == "" {
			t.Errorf("%s is gone", name)
		}
	}
	if after["AResponse"] != "struct" || after["GetBoatResponse"] != "alias AResponse" {
		t.Errorf("the shortest name is not the declared one: %s, %s", after["AResponse"], after["GetBoatResponse"])
	}
}
