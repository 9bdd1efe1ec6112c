package normalise_test

import (
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/normalise"
)

// operationsOf writes each operation on one line: id, method, path, parameters.
func operationsOf(doc *normalise.Document) string {
	lines := make([]string, len(doc.Operations))
	for i, op := range doc.Operations {
		params := make([]string, len(op.Params))
		for j, p := range op.Params {
			params[j] = p.Str("in") + ":" + p.Str("name") + ":" + p.At("schema", "type").Text()
		}
		lines[i] = strings.Join([]string{op.ID, op.Method, op.Path, strings.Join(params, ",")}, " ")
	}
	return strings.Join(lines, "\n")
}

func TestOperations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, warn string }{
		"paths that differ in little": {
			`  /users/{id}: {parameters: [{name: id, in: path, schema: {type: string}}], get: {}}
  /users/id: {get: {}}
  /users/id/: {get: {}}`,
			"get_users_id GET /users/id \nget_users_id_slash GET /users/id/ \nget_users_by_id GET /users/{id} path:id:string", "",
		},
		"one id twice": {
			"  /boats: {get: {operationId: listAll}}\n  /trains: {get: {operationId: listAll}}",
			"listAll GET /boats \nlistAll_get_trains GET /trains ", "duplicate-operation-id",
		},
		"path parameters": {
			"  /a/{x}/{y}/{x}: {get: {operationId: a, parameters: [{name: z, in: path, schema: {type: string}}, {name: y, in: path, schema: {type: integer}}]}}",
			"a GET /a/{x}/{y}/{x} path:x:string,path:y:integer", "path-parameter path-parameter",
		},
		"path parameter of another spelling": {
			"  /a/{order_id}: {get: {operationId: a, parameters: [{name: orderId, in: path, schema: {type: integer}}]}}",
			"a GET /a/{order_id} path:order_id:integer", "path-parameter",
		},
		"own parameters win": {
			"  /a: {parameters: [{name: q, in: query, schema: {type: string}}, {name: r, in: query, schema: {type: string}}], get: {operationId: a, parameters: [{name: q, in: query, schema: {type: integer}}]}}",
			"a GET /a query:q:integer,query:r:string", "",
		},
		"what cannot be sent": {
			"  /a: {get: {operationId: a, parameters: [{name: Accept, in: header, schema: {type: string}}, {name: b, in: body}, {in: query}, {name: c, in: form}, {$ref: '#/components/parameters/None'}, {name: d, in: query, type: integer}]}}",
			"a GET /a query:d:integer", "dangling-ref parameter parameter parameter parameter",
		},
		"header names have no case": {
			"  /a: {get: {operationId: a, parameters: [{name: X-A, in: header, schema: {type: string}}, {name: x-a, in: header, schema: {type: integer}}]}}",
			"a GET /a header:x-a:integer", "duplicate-parameter",
		},
		"no slash": {"  a: {get: {operationId: a}}", "a GET /a ", "path"},
		"one path to a server": {
			"  /a/{x}: {get: {operationId: a}}\n  /a/{y}: {get: {operationId: b}}",
			"a GET /a/{x} path:x:string\nb GET /a/{y} path:y:string", "path-parameter path-parameter equivalent-paths",
		},
		"item by reference": {
			"  /a: {$ref: '#/components/pathItems/A'}\n  /b: {$ref: '#/components/pathItems/None'}",
			"a GET /a ", "dangling-ref path-item",
		},
		"not an object": {"  /a: {get: oops, x-note: {get: {}}}", "get_a GET /a ", "operation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := run(t, "openapi: 3.1.0\npaths:\n"+c.in+"\ncomponents:\n  pathItems:\n    A: {get: {operationId: a}}\n")
			if got := operationsOf(doc); got != c.want {
				t.Errorf("\n got\n%s\n want\n%s", got, c.want)
			}
			codes := make([]string, len(doc.Diagnostics))
			for i, d := range doc.Diagnostics {
				codes[i] = d.Code
			}
			if got := strings.Join(codes, " "); got != c.warn {
				t.Errorf("warnings %q, want %q: %v", got, c.warn, doc.Diagnostics)
			}
		})
	}
}

func TestOrderOfMapsDoesNotMatter(t *testing.T) {
	t.Parallel()
	one := run(t, schemas("3.1.0", "A: {type: object, properties: {a: {type: string}, b: {type: string}}}", "B: {type: string}"))
	two := run(t, schemas("3.1.0", "B: {type: string}", "A: {properties: {b: {type: string}, a: {type: string}}, type: object}"))
	for i, m := range one.Root.At("components", "schemas").All() {
		if other := two.Root.At("components", "schemas").All()[i]; other.Key != m.Key {
			t.Errorf("schema %d is %s and %s", i, m.Key, other.Key)
		}
	}
	first := two.Root.At("components", "schemas", "A", "properties").All()[0].Key
	if first != "a" {
		t.Errorf("the first property is %s", first)
	}
}
