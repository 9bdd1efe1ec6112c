package generator_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

func report(t *testing.T, parts ...string) *plan.Plan {
	t.Helper()
	path := shared(t, append([]string{"cases", "reports"}, parts...)...)
	p, err := generator.Plan(context.Background(), generator.Options{Spec: path, Package: "sdk", Out: "unused"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := render.Render(p); err != nil {
		t.Fatal(err)
	}
	uniqueNames(t, p)
	return p
}

// field gives "Type Omit" of a member, by Go names.
func field(t *testing.T, p *plan.Plan, typ, name string) string {
	t.Helper()
	for _, one := range p.Types {
		for _, f := range one.Fields {
			if one.Name == typ && f.GoName == name {
				return strings.TrimSpace(f.Type + " " + f.Omit)
			}
		}
	}
	return "nothing"
}

// Public reports about other generators: what each of them got wrong is right here. The reports whose answer is about
// bytes on the wire are tested on the packages of testdata.
func TestReportsOfTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, typ, field, want string }{
		{"a01.yaml", "ShipParcelResponse", "TrackingID", "string"},
		{"a07.yaml", "Order", "Status", "*OrderStatusEnum omitempty"},
		{"a07.yaml", "OrderStatus", "Code", "*int64 omitempty"},
		{"a13.yaml", "Link", "Next", "*Link"},
		{"a14.yaml", "Profile", "Token", "*string"},
		{"a14.yaml", "Profile", "Nickname", "wire.Nullable[string] omitzero"},
		{"a14.yaml", "Profile", "Age", "*int64 omitempty"},
		{"a15.yaml", "Reading", "Unit", "*string"},
		{"a15.yaml", "Reading", "Kind", "*string omitempty"}, // its one value, or left out: decision 0506
		{"a15.yaml", "Reading", "Value", "*ReadingValue omitempty"},
		{"a16.yaml", "Team", "Lead", "*Person omitempty"},
		{"a16.yaml", "Person", "Email", "*string omitempty"},
		{"a17.yaml", "Form", "AdditionalProperties", "*bool omitempty"},
		{filepath.Join("a21", "openapi.yaml"), "NewDomain", "Owner", "*Domain omitempty"},
	} {
		if got := field(t, report(t, c.file), c.typ, c.field); got != c.want {
			t.Errorf("%s: %s.%s is %s, want %s", c.file, c.typ, c.field, got, c.want)
		}
	}
}

func TestReportsOfOperations(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a08.yaml": "GET /boats,GET /trains", "a09.yaml": "GET /users/id,GET /users/id/,GET /users/{id}",
		"a18.yaml": "POST /charges", "a20.yaml": "GET /notes/{id}", "a22.yaml": "DELETE /accounts/{account}/keys/{key}", "a24.yaml": "DELETE /jobs/{id}",
	} {
		var got []string
		for op := range operations(report(t, file)) {
			got = append(got, op)
		}
		slices.Sort(got)
		if s := strings.Join(got, ","); s != want {
			t.Errorf("%s: %s, want %s", file, s, want)
		}
	}
	if p := report(t, "a08.yaml"); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].Message, "/boats") || !strings.Contains(p.Warnings[0].Message, "/trains") {
		t.Errorf("a08: %v", p.Warnings)
	}
}

func TestReportsOfEnums(t *testing.T) {
	t.Parallel()
	constants := func(parts ...string) map[string]string {
		out := map[string]string{}
		for _, typ := range report(t, parts...).Types {
			for _, v := range typ.Values {
				out[v.GoName] = v.Literal
			}
		}
		return out
	}
	if got := constants("a04.yaml"); len(got) != 12 {
		t.Errorf("a04: %v", got)
	}
	before, after := constants("c03", "v1.yaml"), constants("c03", "v2.yaml")
	for name, value := range before {
		if after[name] != value {
			t.Errorf("c03: %s was %s and is %q", name, value, after[name])
		}
	}
}

func TestReportOfDeterminism(t *testing.T) {
	t.Parallel()
	want := fingerprint(t, report(t, "c02.yaml"))
	for range 24 {
		if fingerprint(t, report(t, "c02.yaml")) != want {
			t.Fatal("two runs differ")
		}
	}
}

func TestReportOfRemoteReferences(t *testing.T) {
	t.Parallel()
	dir := shared(t, "cases", "reports", "c10")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	text, err := os.ReadFile(filepath.Join(dir, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.ReplaceAll(string(text), "http://127.0.0.1:18099", server.URL)
	opts := generator.Options{Spec: "-", Stdin: strings.NewReader(moved), Package: "sdk", Out: "unused", CacheDir: t.TempDir()}
	if _, err := generator.Plan(context.Background(), opts); err == nil || !strings.Contains(err.Error(), server.URL) || !strings.Contains(err.Error(), "--allow-remote-refs") {
		t.Errorf("by default: %v", err)
	}
	opts.AllowRemoteRefs, opts.Stdin = true, strings.NewReader(moved)
	p, err := generator.Plan(context.Background(), opts)
	if err != nil || field(t, p, "Problem", "Title") != "*string omitempty" {
		t.Errorf("when allowed: %v", err)
	}
}
