package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

const auditText = `not sent again when an answer is lost: 1
  POST   /owners (createOwner, SPEC:8): POST that declares no idempotency key
sent again under one idempotency key: 1
  POST   /pets (createPet, SPEC:6): header Idempotency-Key: a UUID for each call
safe to send again: 1
  GET    /pets (listPets, SPEC:5): by its method
`

func TestAudit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, dir, "pets.yaml", document)
	code, stdout, stderr := run(t, "", "audit", "--spec", spec)
	if got := strings.ReplaceAll(stdout, spec, "SPEC"); code != 0 || got != auditText || stderr != "" {
		t.Errorf("code %d\n%s\nwant\n%s\n%s", code, got, auditText, stderr)
	}
	code, stdout, _ = run(t, "", "audit", "--spec", spec, "--json")
	var list []struct {
		Operation string `json:"operation"`
		Repeat    string `json:"repeat"`
		Why       string `json:"why"`
		Declared  bool   `json:"declared"`
		Line      int    `json:"line"`
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 {
		t.Fatalf("code %d, %v\n%s", code, err, stdout)
	}
	want := map[string]string{"listPets": "safe", "createPet": "key", "createOwner": "never"}
	for _, a := range list {
		if a.Repeat != want[a.Operation] || a.Why == "" || a.Line == 0 || a.Declared != (a.Operation == "createPet") {
			t.Errorf("%+v", a)
		}
		delete(want, a.Operation)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// An operation with effects and no key fails the run, until it takes one or the document says that it is meant.
func TestAuditRequiresKeys(t *testing.T) {
	t.Parallel()
	const owner = "post: {operationId: createOwner, "
	for name, c := range map[string]struct {
		change string
		code   int
	}{
		"as it is":         {owner, 1},
		"declared":         {owner + "x-retry: {safe: false}, ", 0},
		"switched off":     {owner + "x-retry: false, ", 0},
		"safe after all":   {owner + "x-retry: {safe: true}, ", 0},
		"takes a key":      {owner + "x-idempotency: {header: Idempotency-Key}, ", 0},
		"not even planned": {owner + "x-idempotency: false, ", 1},
	} {
		spec := write(t, t.TempDir(), "pets.yaml", strings.Replace(document, owner, c.change, 1))
		for _, more := range [][]string{nil, {"--json"}} {
			code, stdout, stderr := run(t, "", append([]string{"audit", "--spec", spec, "--require-keys"}, more...)...)
			if code != c.code || !strings.Contains(stdout, "createOwner") {
				t.Errorf("%s: code %d, want %d\n%s%s", name, code, c.code, stdout, stderr)
			}
			if told := strings.Contains(stderr, "declare no idempotency key"); told != (c.code == 1 && more == nil) {
				t.Errorf("%s: %s", name, stderr)
			}
		}
	}
}

// The config file counts, as for generate, and so does a part of the document.
func TestAuditReadsTheConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "pets.yaml", document)
	config := write(t, dir, "audit.yaml", "spec: pets.yaml\nout: pets\npackage: pets\nper-operation:\n  createOwner: {retry: {safe: false}}\n")
	if code, stdout, stderr := run(t, "", "audit", "--config", config, "--require-keys"); code != 0 || !strings.Contains(stdout, "declared as not safe to repeat") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := run(t, document, "audit", "--spec", "-", "--tags", "Pets", "--require-keys"); code != 0 || strings.Contains(stdout, "createOwner") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, "", "audit", "--spec", "nowhere.yaml"); code != 1 || !strings.Contains(stderr, "nowhere.yaml") {
		t.Errorf("code %d\n%s", code, stderr)
	}
	if code, _, stderr := run(t, "", "audit", "more"); code != 2 || !strings.Contains(stderr, `"more"`) {
		t.Errorf("code %d\n%s", code, stderr)
	}
}
