package generator_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

func planText(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := generator.Plan(context.Background(), generator.Options{Spec: "-", Stdin: strings.NewReader(text), Package: "sdk", Out: "unused"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fingerprint(t *testing.T, p *plan.Plan) string {
	t.Helper()
	files, err := render.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(sum, "%s %s\n", name, files[name])
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// mapsDoc has every kind of map whose order means nothing; reordered has them the other way round.
const mapsDoc = `openapi: 3.0.3
info: {title: Maps, version: "1"}
paths:
  /z:
    post:
      operationId: postZ
      requestBody:
        content:
          application/json: {schema: {$ref: "#/components/schemas/Event"}}
          application/vnd.b+json: {schema: {type: object, properties: {b: {type: string}, a: {type: string}}}}
          application/vnd.a+json: {schema: {type: object, properties: {a: {type: string}}}}
      responses:
        "200":
          description: ok
          headers: {X-B: {schema: {type: string}}, X-A: {schema: {type: string}}}
          content:
            application/vnd.b+json: {schema: {$ref: "#/components/schemas/Made"}}
            application/json: {schema: {$ref: "#/components/schemas/Event"}}
        4XX: {description: e, content: {application/json: {schema: {type: object, properties: {x: {type: string}}}}}}
        default: {description: d, content: {application/json: {schema: {type: object, properties: {x: {type: string}}}}}}
  /a:
    get: {operationId: getA, security: [{two: [], one: []}, {three: []}], responses: {"204": {description: none}}}
components:
  securitySchemes:
    one: {type: apiKey, in: header, name: X-One}
    two: {type: apiKey, in: header, name: X-Two}
    three: {type: http, scheme: bearer}
  schemas:
    Event:
      oneOf: [{$ref: "#/components/schemas/Made"}, {$ref: "#/components/schemas/Gone"}]
      discriminator:
        propertyName: type
        mapping: {made: "#/components/schemas/Made", created: "#/components/schemas/Made", gone: "#/components/schemas/Gone"}
    Made: {type: object, required: [type], properties: {type: {type: string}, at: {type: string}}}
    Gone: {type: object, required: [type], properties: {type: {type: string}, by: {type: string}}}
    size_x: {type: string, enum: [s, S, "1", "-1", l]}
    SizeX: {type: object, properties: {kind: {type: string, enum: [a, b]}}}
    size-x: {type: string}
`

const reordered = `components:
  schemas:
    size-x: {type: string}
    SizeX: {properties: {kind: {enum: [a, b], type: string}}, type: object}
    size_x: {enum: [s, S, "1", "-1", l], type: string}
    Gone: {required: [type], properties: {by: {type: string}, type: {type: string}}, type: object}
    Made: {properties: {at: {type: string}, type: {type: string}}, required: [type], type: object}
    Event:
      discriminator:
        mapping: {gone: "#/components/schemas/Gone", created: "#/components/schemas/Made", made: "#/components/schemas/Made"}
        propertyName: type
      oneOf: [{$ref: "#/components/schemas/Made"}, {$ref: "#/components/schemas/Gone"}]
  securitySchemes:
    three: {scheme: bearer, type: http}
    two: {in: header, name: X-Two, type: apiKey}
    one: {name: X-One, in: header, type: apiKey}
paths:
  /a:
    get: {responses: {"204": {description: none}}, security: [{one: [], two: []}, {three: []}], operationId: getA}
  /z:
    post:
      responses:
        default: {content: {application/json: {schema: {properties: {x: {type: string}}, type: object}}}, description: d}
        4XX: {content: {application/json: {schema: {type: object, properties: {x: {type: string}}}}}, description: e}
        "200":
          content:
            application/json: {schema: {$ref: "#/components/schemas/Event"}}
            application/vnd.b+json: {schema: {$ref: "#/components/schemas/Made"}}
          headers: {X-A: {schema: {type: string}}, X-B: {schema: {type: string}}}
          description: ok
      requestBody:
        content:
          application/vnd.a+json: {schema: {properties: {a: {type: string}}, type: object}}
          application/vnd.b+json: {schema: {properties: {a: {type: string}, b: {type: string}}, type: object}}
          application/json: {schema: {$ref: "#/components/schemas/Event"}}
      operationId: postZ
info: {version: "1", title: Maps}
openapi: 3.0.3
`

func TestTheSameFromRunToRun(t *testing.T) {
	t.Parallel()
	want := fingerprint(t, planText(t, mapsDoc))
	for range 24 {
		if got := fingerprint(t, planText(t, mapsDoc)); got != want {
			t.Fatal("two runs differ")
		}
	}
	if got := fingerprint(t, planText(t, reordered)); got != want {
		t.Error("the order of maps changes the result")
	}
}

// large makes a document of n operations over groups of ten, each with schemas of its own.
func large(n int) string {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: Large, version: '1'}\npaths:\n")
	for i := range n {
		fmt.Fprintf(&b, "  /r%d/{id}:\n    post:\n      operationId: makeR%d\n      tags: [Group%d]\n      parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n", i, i, i/10)
		fmt.Fprintf(&b, "      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/R%dIn'}}}}\n", i)
		fmt.Fprintf(&b, "      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/R%dOut'}}}}}\n", i)
	}
	b.WriteString("components:\n  schemas:\n")
	for i := range n {
		for _, side := range []string{"In", "Out"} {
			fmt.Fprintf(&b, "    R%d%s: {type: object, required: [a], properties: {e: {type: string, enum: [x, y]}, o: {type: object, properties: {z: {type: integer}}}", i, side)
			for _, p := range "abcdfghijk" {
				fmt.Fprintf(&b, ", %c: {type: string}", p)
			}
			b.WriteString("}}\n")
		}
	}
	return b.String()
}

// A new operation touches the files of its service and the indexes: interfaces, fakes and pages.
func TestAnAddedOperationTouchesItsOwnGroup(t *testing.T) {
	t.Parallel()
	files := func(text string) map[string][]byte {
		out, err := render.Render(planText(t, text))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := files(large(200))
	added := strings.Replace(large(200), "  /r5/{id}:\n", "  /r5/{id}/more:\n    post: {operationId: makeR5More, tags: [Group0], parameters: [{name: id, in: path, required: true, schema: {type: string}}], requestBody: {content: {application/json: {schema: {type: object, properties: {q: {type: string}}}}}}, responses: {'204': {description: none}}}\n  /r5/{id}:\n", 1)
	after := files(added)
	var changed []string
	for name, text := range after {
		if string(before[name]) != string(text) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	for _, name := range changed {
		if !strings.HasPrefix(name, "group0") && !strings.HasSuffix(name, ".md") && name != "interfaces.gen.go" && name != "fake.gen.go" {
			t.Errorf("%s changed; changed are %v", name, changed)
		}
	}
	if len(before) != len(after) {
		t.Error("files came or went")
	}
}

// A package of many operations is in files that an editor and a reviewer can hold.
func TestALargeDocument(t *testing.T) {
	t.Parallel()
	files, err := render.Render(planText(t, large(1500)))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if lines := strings.Count(string(text), "\n"); strings.HasSuffix(name, ".go") && (lines > 5000 || len(text) > 1<<20) {
			t.Errorf("%s has %d lines and %d bytes", name, lines, len(text))
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 300, 1000} {
		text := large(n)
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := generator.Plan(context.Background(), generator.Options{Spec: "-", Stdin: strings.NewReader(text), Package: "sdk", Out: "unused"})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
