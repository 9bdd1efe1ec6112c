package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/peers/meaning"
	"github.com/retrysafe/retrysafe/peers/sample"
)

// The examples of the reference API survive. It generates, builds and runs, so it takes seconds.
func TestReferenceAPI(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(options{spec: "../../openapi.yaml", cache: t.TempDir()}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "| openapi | ") || strings.Contains(out.String(), "| openapi | 0 |") {
		t.Error(out.String())
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "doc.yaml")
	if err := os.WriteFile(path, []byte(`openapi: 3.1.0
components:
  schemas:
    A:
      type: object
      required: [must]
      properties:
        must: {type: string}
        id: {type: string, readOnly: true}
        at: {type: string, format: date-time}
        kind: {type: string, const: a, default: a}
        none: {type: [string, 'null']}
        list: {type: array, items: {type: integer, format: int32}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := sample.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	difference := func(path, kind string) []meaning.Difference { return []meaning.Difference{{Path: path, Kind: kind}} }
	const fits = `{"must":"x","kind":"a"}`
	for name, c := range map[string]struct {
		value   string
		outcome meaning.Outcome
		want    string
	}{
		"kept":                                  {fits, meaning.Outcome{}, "same"},
		"refused for nothing":                   {fits, meaning.Outcome{Refused: "no"}, "lost"},
		"not encoded":                           {fits, meaning.Outcome{Broken: "no"}, "lost"},
		"a member is gone":                      {fits, meaning.Outcome{Kept: difference("$.must", "missing")}, "lost"},
		"a value is another":                    {fits, meaning.Outcome{Kept: difference("$.must", "changed")}, "lost"},
		"a member is new":                       {fits, meaning.Outcome{Kept: difference("$.x", "added")}, "lost"},
		"readOnly is not sent":                  {fits, meaning.Outcome{Sent: difference("$.id", "missing")}, "same"},
		"another is not sent":                   {fits, meaning.Outcome{Sent: difference("$.at", "missing")}, "lost"},
		"readOnly is kept elsewhere":            {fits, meaning.Outcome{Kept: difference("$.id", "missing")}, "lost"},
		"what must be there is written":         {`{"kind":"a"}`, meaning.Outcome{Kept: difference("$.must", "added")}, "differ"},
		"the only value, a default, is written": {`{"must":"x"}`, meaning.Outcome{Kept: difference("$.kind", "added")}, "differ"},
		"a default is no reason to refuse":      {`{"must":"x"}`, meaning.Outcome{Refused: "no"}, "lost"},
		"null that is not allowed":              {`{"must":"x","kind":"a","at":null}`, meaning.Outcome{Kept: difference("$.at", "missing")}, "differ"},
		"null that is allowed":                  {`{"must":"x","kind":"a","none":null}`, meaning.Outcome{Kept: difference("$.none", "missing")}, "lost"},
		"a number where text must be":           {`{"must":1,"kind":"a"}`, meaning.Outcome{Refused: "no"}, "refused"},
		"no date":                               {`{"must":"x","kind":"a","at":"noon"}`, meaning.Outcome{Refused: "no"}, "refused"},
		"a date":                                {`{"must":"x","kind":"a","at":"2026-01-02T03:04:05Z"}`, meaning.Outcome{Refused: "no"}, "lost"},
		"too large":                             {`{"must":"x","kind":"a","list":[1,2147483648]}`, meaning.Outcome{Refused: "no"}, "refused"},
		"large enough":                          {`{"must":"x","kind":"a","list":[1,2147483647]}`, meaning.Outcome{Refused: "no"}, "lost"},
	} {
		var value any
		decoder := json.NewDecoder(strings.NewReader(c.value))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		e := shown{sample.Example{Schema: map[string]any{"$ref": "#/components/schemas/A"}, Value: value}, meaning.Case{Request: true}}
		r := judge("doc", doc, []shown{e}, []meaning.Outcome{c.outcome})
		got := map[bool]string{r.Same == 1: "same", r.Refused == 1: "refused", r.Differ == 1: "differ", len(r.Losses) == 1: "lost"}[true]
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
