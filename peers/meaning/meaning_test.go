package meaning

import (
	"fmt"
	"testing"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ read, written, want string }{
		{`{"a":1,"b":[true,null,"x"]}`, `{"b":[true,null,"x"],"a":1.0}`, "[]"},
		{`9007199254740993`, `9007199254740992`, "[{$ changed 9007199254740993 became 9007199254740992}]"},
		{`0.10`, `0.1`, "[]"},
		{`1e400000000`, `1e400000001`, "[{$ changed 1e400000000 became 1e400000001}]"},
		{`-0`, `0`, "[]"},
		{`"2026-01-02T03:04:05.000Z"`, `"2026-01-02T03:04:05Z"`, "[]"},
		{`"2026-01-02T03:04:05+00:00"`, `"2026-01-02T03:04:05Z"`, "[]"},
		{`"2026-01-02T03:04:05+01:00"`, `"2026-01-02T02:04:05Z"`, `[{$ changed "2026-01-02T03:04:05+01:00" became "2026-01-02T02:04:05Z"}]`},
		{`{"a":null}`, `{}`, "[{$.a missing null}]"},
		{`{}`, `{"a":{"b":""}}`, `[{$.a added {"b":""}}]`},
		{`{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":1},{"b":"2"}]}`, `[{$.a[1].b changed 2 became "2"}]`},
		{`[1,2]`, `[1]`, "[{$ changed [1,2] became [1]}]"},
		{`{}`, `[]`, "[{$ changed {} became []}]"},
		{`"YR=="`, `"YQ=="`, "[]"},
		{`"YQ=="`, `"Yg=="`, `[{$ changed "YQ==" became "Yg=="}]`},
		{`true`, `false`, "[{$ changed true became false}]"},
	} {
		got, err := Differences([]byte(c.read), []byte(c.written))
		if s := fmt.Sprint(got); err != nil || s != c.want {
			t.Errorf("%s and %s: %s, %v; want %s", c.read, c.written, s, err, c.want)
		}
	}
	for _, texts := range [][2]string{{"{", "{}"}, {"{}", ""}} {
		if _, err := Differences([]byte(texts[0]), []byte(texts[1])); err == nil {
			t.Errorf("%q: no error", texts)
		}
	}
}
