package wire_test

import (
	"testing"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		declared, got string
		want          bool
	}{
		{"application/json", "application/json", true},
		{"application/json", "Application/JSON; charset=utf-8", true},
		{"application/json; charset=utf-8", "application/json", true},
		{"application/json; charset=utf-8", "application/json;charset=UTF-8", true},
		{"application/json; charset=utf-8", "application/json; charset=latin1", true},
		{"application/vnd.acme.v2+json", "application/vnd.acme.v2+json; charset=utf-8", true},
		{"application/vnd.acme.v2+json", "application/json", true},
		{"application/json", "application/problem+json", true},
		{"application/json; version=1", "application/json; version=2", false},
		{"application/json; version=1", "application/json; version=1", true},
		{"application/json; version=1", "application/json", true},
		{"application/json", "text/html", false},
		{"application/json", "application/jsonp", false},
		{"application/xml", "application/json", false},
		{"image/*", "image/png", true},
		{"image/*", "text/plain", false},
		{"*/*", "text/plain; x=y", true},
		{"text/plain", "", false},
		{"", "text/plain", false},
		{"multipart/mixed; boundary=a", "multipart/mixed; boundary=b", true},
		{"application/json", "application/json; charset", true},
		{"application/json", "application/json;", true},
		{"application/json", "application/json; charset=utf-8; charset=utf-8", true},
	} {
		if got := wire.MatchType(tt.declared, tt.got); got != tt.want {
			t.Errorf("%q, %q: %v", tt.declared, tt.got, got)
		}
	}
	declared := []string{"*/*", "application/json; charset=utf-8", "application/vnd.acme.v2+json", "application/problem+json", "text/*", "text/csv; header=present", "text/csv; header=absent"}
	for got, want := range map[string]int{
		"application/json":                            1,
		"application/json;charset=UTF-8":              1,
		"application/vnd.acme.v2+json; charset=utf-8": 2,
		"application/problem+json":                    3,
		"text/csv; header=absent":                     6,
		"text/csv":                                    5,
		"text/plain":                                  4,
		"image/png":                                   0,
		"application/hal+json":                        0,
	} {
		if i := wire.BestType(declared, got); i != want {
			t.Errorf("%s: %d, want %d", got, i, want)
		}
	}
	if i := wire.BestType(declared[1:3], "text/html"); i != -1 {
		t.Errorf("text/html is taken for %s", declared[1+i])
	}
	if i := wire.BestType([]string{"text/csv", "text/csv; header=present"}, "text/csv; header=present"); i != 1 {
		t.Error("an equal parameter does not count")
	}
	for text, want := range map[string]bool{
		"application/json": true, "application/problem+json; x=y": true, "text/json": true, "APPLICATION/JSON": true,
		"application/x-ndjson": false, "application/json-seq": false, "text/plain": false, "": false,
	} {
		if got := wire.IsJSON(text); got != want {
			t.Errorf("IsJSON(%q) = %v", text, got)
		}
	}
}

func FuzzMatchType(f *testing.F) {
	f.Add("application/json; charset=utf-8", "a/b;c=d")
	f.Fuzz(func(t *testing.T, declared, got string) {
		if wire.MatchType(declared, got) != (wire.BestType([]string{declared}, got) == 0) {
			t.Fatalf("%q, %q", declared, got)
		}
	})
}
