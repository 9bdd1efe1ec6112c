// Package meaning tells whether two JSON texts mean the same. Programs that the peers commands write use it to decode
// the examples of a document into the generated types and to encode them again.
package meaning

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Difference is one place where two texts do not mean the same.
type Difference struct {
	Path string `json:"path"` // $.a[0].b
	Kind string `json:"kind"` // missing, added or changed
	Text string `json:"text"` // what stood there and what stands there
}

// Differences compares what was read with what was written. Members have no order, numbers are compared with all their
// digits (1, 1.0 and 1e0 are one number), and so are date-times (12:00:00.000Z and 12:00:00Z are one moment)
// and base64 (YR== and YQ== are one byte).
func Differences(read, written []byte) ([]Difference, error) {
	a, err := parse(read)
	if err != nil {
		return nil, err
	}
	b, err := parse(written)
	if err != nil {
		return nil, err
	}
	return compare(nil, "$", a, b), nil
}

func parse(text []byte) (v any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&v)
	return v, err
}

func compare(out []Difference, path string, a, b any) []Difference {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if v, there := y[name]; there {
				out = compare(out, path+"."+name, x[name], v)
			} else {
				out = append(out, Difference{path + "." + name, "missing", short(x[name])})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(y)) {
			if _, there := x[name]; !there {
				out = append(out, Difference{path + "." + name, "added", short(y[name])})
			}
		}
		return out
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			out = compare(out, path+"["+strconv.Itoa(i)+"]", x[i], y[i])
		}
		return out
	default:
		if same(a, b) {
			return out
		}
	}
	return append(out, Difference{path, "changed", short(a) + " became " + short(b)})
}

func same(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		return ok && sameNumber(x.String(), y.String())
	}
	x, isText := a.(string)
	y, ok := b.(string)
	if !isText || !ok {
		return a == b
	}
	return x == y || sameTime(x, y) || sameBytes(x, y)
}

// sameBytes tells base64 texts of the same bytes: the last character may have bits that no byte takes.
func sameBytes(x, y string) bool {
	a, err := base64.StdEncoding.DecodeString(x)
	b, err2 := base64.StdEncoding.DecodeString(y)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}

// sameNumber compares digits and not floats. Exponents that would take much memory are compared as text.
func sameNumber(x, y string) bool {
	const longest = 400
	if x == y {
		return true
	}
	if exponent(x) > longest || exponent(y) > longest {
		return false
	}
	r, ok := new(big.Rat).SetString(x)
	s, ok2 := new(big.Rat).SetString(y)
	return ok && ok2 && r.Cmp(s) == 0
}

func exponent(s string) int {
	_, e, found := strings.Cut(strings.ToLower(s), "e")
	n, err := strconv.Atoi(e)
	if found && err != nil {
		return 1 << 30
	}
	return max(n, -n)
}

func sameTime(x, y string) bool {
	a, err := time.Parse(time.RFC3339Nano, x)
	b, err2 := time.Parse(time.RFC3339Nano, y)
	_, zone := a.Zone()
	_, zone2 := b.Zone()
	return err == nil && err2 == nil && a.Equal(b) && zone == zone2
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 80 {
		return string(text[:80]) + "..."
	}
	return string(text)
}
