package generator_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
)

const configured = `openapi: 3.1.0
info: {title: Boats, version: "1"}
paths:
  /boats:
    get:
      operationId: listBoats
      parameters: [{name: from, in: query, schema: {type: string}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {boats: {type: array, items: {type: string}}, further: {type: string}}}}}}}
    post:
      operationId: createBoat
      x-retry: {attempts: 9}
      requestBody: {content: {application/json: {schema: {type: object, required: [hull], properties: {hull: {type: string}}}}}}
      responses: {"204": {description: made}}
`

// planWith plans the document as a config file says, which stands beside it.
func planWith(t *testing.T, config string) (*plan.Plan, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"openapi.yaml": configured, generator.ConfigName: "spec: openapi.yaml\nout: boats\npackage: boats\n" + config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts, err := generator.ReadConfig(filepath.Join(dir, generator.ConfigName))
	if err != nil {
		return nil, err
	}
	return generator.Plan(context.Background(), opts)
}

func TestConfigOfSingleOperations(t *testing.T) {
	t.Parallel()
	p, err := planWith(t, `per-operation:
  createBoat:
    idempotency: {key: "boat-{body.hull}", header: Boat-Key, max-length: 64}
    retry: {attempts: 5, deadline: 20s, statuses: [503]}
  listBoats:
    retry: false
    pagination: {type: cursor, request: from, items: boats, next: further}
`)
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]*plan.Method{}
	for _, m := range p.Services[0].Methods {
		methods[m.ID] = m
	}
	create, list := methods["createBoat"], methods["listBoats"]
	if k := create.Key; k == nil || k.Name != "Boat-Key" || k.Template != "boat-{body.hull}" || k.MaxLength != 64 {
		t.Errorf("key: %+v", create.Key)
	}
	if r := create.Retry; r.Attempts != 5 || r.DeadlineMS != 20000 || len(r.Statuses) != 1 {
		t.Errorf("retry: %+v", r)
	}
	if !list.Retry.Disabled || list.Pagination == nil || list.Pagination.Request != "From" || list.Pagination.Next[0] != "Further" {
		t.Errorf("list: %+v %+v", list.Retry, list.Pagination)
	}
}

// What the config says wrong is told with its place in the config.
func TestMistakesInTheConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ config, want string }{
		{"tags: [Ships]", `retrysafe.yaml:4:8: the document has no tag "Ships"; it has boats`},
		{"operations: [listShips]", `retrysafe.yaml:4:14: the document has no operation "listShips"; it has createBoat, listBoats`},
		{"names: {/components/schemas/Ship: Vessel}", "retrysafe.yaml:4:9: the config renames what the document does not have: /components/schemas/Ship"},
		{"per-operation: [a]", "retrysafe.yaml:4:16: per-operation maps operation ids"},
		{"per-operation: {listShips: {}}", `retrysafe.yaml:4:17: the document has no operation "listShips"; it has createBoat, listBoats`},
		{"per-operation: {listBoats: true}", "retrysafe.yaml:4:28: what is said of an operation is a mapping"},
		{"per-operation: {listBoats: {retries: 3}}", `retrysafe.yaml:4:29: there is no "retries" of an operation; the members are idempotency, pagination, retry`},
		{"per-operation: {listBoats: {retry: {attempts: 0}}}", "retrysafe.yaml:4:47: attempts is a whole number from 1"},
		{"per-operation: {listBoats: {retry: {wait: 3s}}}", `x-retry has no member "wait"`},
		{"per-operation: {listBoats: {retry: {deadline: soon}}}", `retrysafe.yaml:4:47: "soon" is not a duration`},
		{"per-operation: {listBoats: {pagination: {type: pages}}}", "retrysafe.yaml:4:48: the type of a pagination is one of cursor"},
		{"per-operation: {listBoats: {pagination: {type: page, size: x}}}", `retrysafe.yaml:4:54: pagination has no member "size"`},
		{"per-operation: {listBoats: {pagination: {type: cursor, request: from, items: ships, next: further}}}", "retrysafe.yaml:4:41: the members that x-pagination names are not in"},
		{"per-operation: {createBoat: {idempotency: {maxlength: 3}}}", `retrysafe.yaml:4:44: idempotency has no member "maxlength"`},
		{"per-operation: {createBoat: {idempotency: {key: 'boat-{body.keel}'}}}", "retrysafe.yaml:4:"},
	} {
		if _, err := planWith(t, c.config+"\n"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.config, err, c.want)
		}
	}
}

// The page about the config has every setting, and the help names the page's subjects.
func TestEverySettingIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = planWith(t, "nope: 1\n")
	if err == nil {
		t.Fatal("an unknown setting is taken")
	}
	_, list, _ := strings.Cut(err.Error(), "the settings are ")
	list, _, _ = strings.Cut(list, " [")
	settings := strings.Split(list, ", ")
	if len(settings) < 10 {
		t.Fatal(err)
	}
	for _, name := range settings {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/config.md does not have %s", name)
		}
	}
}
