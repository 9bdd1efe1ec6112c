package main

import (
	"bytes"
	"regexp"
	"testing"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator and three packages")
	}
	var out bytes.Buffer
	if err := run(t.Context(), t.TempDir(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^made from v1.yaml: new .*\blabels.gen.go .*notes.gen.go`,
		`(?m)^made again from v2.yaml: new reminders.gen.go; changed .*notes.gen.go.*; removed labels.gen.go$`,
		`(?m)^made from v2.yaml once more: nothing to do$`,
		`(?m)^extra.go is as it was, and everything builds$`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("no line like %s in:\n%s", want, &out)
		}
	}
}
