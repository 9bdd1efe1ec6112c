package keys_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/quick"

	"github.com/retrysafe/retrysafe/sdk/keys"
)

func makeKey(t *testing.T, source keys.Source, rule keys.Rule) string {
	t.Helper()

	key, err := source(t.Context(), keys.Call{Operation: "op", Rule: rule})
	if err != nil {
		t.Fatal(err)
	}

	if err := rule.Validate(key); err != nil {
		t.Fatalf("%q: %v", key, err)
	}

	return key
}

func TestUUIDIsAVersion4(t *testing.T) {
	t.Parallel()

	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := make(map[string]bool)

	for range 1000 {
		key := makeKey(t, keys.UUID(), keys.Rule{})
		if !form.MatchString(key) || seen[key] {
			t.Fatal(key)
		}

		seen[key] = true
	}

	if key := makeKey(t, keys.UUID(), keys.Rule{MaxLength: 32}); len(key) != 32 {
		t.Error(key)
	}

	if _, err := keys.UUID()(t.Context(), keys.Call{Rule: keys.Rule{MaxLength: 20}}); err == nil {
		t.Error("20 characters are not enough")
	}
}

func TestEventIsReadableWhereItFits(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("x", 300)

	for _, tc := range []struct {
		operation string
		parts     []string
		rule      keys.Rule
		want      string
	}{
		{"order-confirm", []string{"1042"}, keys.Rule{}, "order-confirm-1042"},
		{"order-confirm", []string{"8b1f-22"}, keys.Rule{}, "order-confirm-8b1f-22"},
		{"refund", []string{"17", "2"}, keys.Rule{}, "refund-17--2"},
		{"mail", []string{"a b"}, keys.Rule{}, "^mail-[0-9a-f]{32}$"},
		{"mail", []string{long}, keys.Rule{}, "^mail-[0-9a-f]{32}$"},
		{"mail", []string{"1042"}, keys.Rule{MaxLength: 8}, ""},
		{"mail", []string{"1042"}, keys.Rule{MaxLength: 64, MinLength: 50}, "^[0-9a-f]{64}$"},
		{"mail", []string{"1042"}, keys.Rule{Pattern: "^[0-9a-f-]{36}$"}, "^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"},
		{"a very long name of an operation " + long, []string{"1"}, keys.Rule{}, "^[0-9a-f]{64}$"},
		{"two words", []string{"1"}, keys.Rule{MaxLength: 32}, "^[0-9a-f]{32}$"},
	} {
		if tc.want == "" {
			if _, err := keys.Event(tc.operation, tc.parts...)(t.Context(), keys.Call{Rule: tc.rule}); err == nil {
				t.Errorf("%v fits in %v", tc.parts, tc.rule)
			}

			continue
		}

		got := makeKey(t, keys.Event(tc.operation, tc.parts...), tc.rule)
		if !strings.HasPrefix(tc.want, "^") && got != tc.want || !regexp.MustCompile(tc.want).MatchString(got) {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestEventTellsPartsApart(t *testing.T) {
	t.Parallel()

	property := func(a, b []string) bool {
		for _, parts := range [][]string{a, b} {
			if slices.Contains(parts, "") {
				return true
			}
		}

		key, _ := keys.Event("op", a...)(context.Background(), keys.Call{})
		again, _ := keys.Event("op", a...)(context.Background(), keys.Call{})
		other, _ := keys.Event("op", b...)(context.Background(), keys.Call{})

		return key == again && (key == other) == (fmt.Sprintf("%q", a) == fmt.Sprintf("%q", b))
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}

	pairs := [][2][]string{{{"a-b", "c"}, {"a", "b-c"}}, {{"ab", "c"}, {"a", "bc"}}, {{"1", "2"}, {"1-2"}}}
	for _, pair := range pairs {
		one := makeKey(t, keys.Event("op", pair[0]...), keys.Rule{})
		two := makeKey(t, keys.Event("op", pair[1]...), keys.Rule{})

		if one == two {
			t.Errorf("%q and %q give %s", pair[0], pair[1], one)
		}
	}
}

func TestEventNeedsItsParts(t *testing.T) {
	t.Parallel()

	for _, source := range []keys.Source{keys.Event("op", ""), keys.Event("op", "a", ""), keys.Event("")} {
		if _, err := source(t.Context(), keys.Call{}); !errors.Is(err, keys.ErrEmptyPart) {
			t.Error(err)
		}
	}
}

func TestRequestScopeCountsCalls(t *testing.T) {
	t.Parallel()

	deliver := func() []string {
		ctx := keys.WithRequest(t.Context(), "msg.7")

		got := make([]string, 0, 4)

		for _, op := range []string{"charge", "charge", "mail", "charge"} {
			source, ok := keys.Request(ctx)
			if !ok {
				t.Fatal("no scope")
			}

			key, err := source(ctx, keys.Call{Operation: op})
			if err != nil {
				t.Fatal(err)
			}

			got = append(got, key)
		}

		return got
	}

	want := "[charge-msg.7--1 charge-msg.7--2 mail-msg.7--1 charge-msg.7--3]"
	for range 2 {
		if got := fmt.Sprint(deliver()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}

	if _, ok := keys.Request(t.Context()); ok {
		t.Error("a scope out of nowhere")
	}

	source, _ := keys.Request(keys.WithRequest(t.Context(), ""))
	if _, err := source(t.Context(), keys.Call{}); !errors.Is(err, keys.ErrEmptyPart) {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		key     string
		rule    keys.Rule
		problem string
	}{
		{"k", keys.Rule{}, ""},
		{strings.Repeat("k", 255), keys.Rule{}, ""},
		{"", keys.Rule{}, "it is empty"},
		{strings.Repeat("k", 256), keys.Rule{}, "it has 256 characters, at most 255 are allowed"},
		{"abc", keys.Rule{MinLength: 4}, "it has 3 characters, at least 4 are needed"},
		{"a b", keys.Rule{}, "byte 1 is not printable ASCII"},
		{"a\r\nb", keys.Rule{}, "byte 1 is not printable ASCII"},
		{"caf\u00e9", keys.Rule{}, "byte 3 is not printable ASCII"},
		{"abc", keys.Rule{Pattern: "^[0-9]+$"}, "it does not match ^[0-9]+$"},
		{"123", keys.Rule{Pattern: "^[0-9]+$"}, ""},
	} {
		err := tc.rule.Validate(tc.key)

		var invalid *keys.InvalidError

		switch {
		case tc.problem == "" && err != nil:
			t.Errorf("%q: %v", tc.key, err)
		case tc.problem != "" && (!errors.As(err, &invalid) || invalid.Problem != tc.problem):
			t.Errorf("%q: %v, want %s", tc.key, err, tc.problem)
		}
	}

	if err := (keys.Rule{Pattern: "("}).Validate("k"); err == nil {
		t.Error("a pattern that does not compile")
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()

	g := keys.NewGuard(2)
	begin := func(key string, content uint64, want error) {
		t.Helper()

		if err := g.Begin(key, content); !errors.Is(err, want) {
			t.Errorf("%s %d: %v, want %v", key, content, err, want)
		}
	}

	begin("a", 1, nil)
	begin("a", 1, nil)
	begin("a", 2, keys.ErrReused)

	// One of the two was rejected: the other may still have worked.
	g.End("a", true)
	begin("a", 2, keys.ErrReused)
	g.End("a", true)
	begin("a", 2, nil)
	g.End("a", false)
	begin("a", 1, keys.ErrReused)

	begin("b", 1, nil)
	begin("c", 1, nil)

	if g.Len() != 2 {
		t.Errorf("remembers %d", g.Len())
	}

	// The oldest is forgotten.
	begin("a", 1, nil)
	g.End("unknown", true)
}

func TestGuardUnderConcurrency(t *testing.T) {
	t.Parallel()

	g := keys.NewGuard(8)

	var wg sync.WaitGroup

	for worker := range 8 {
		wg.Go(func() {
			for i := range 200 {
				key := fmt.Sprint((worker + i) % 16)
				if g.Begin(key, 1) == nil {
					g.End(key, i%2 == 0)
				}
			}
		})
	}

	wg.Wait()

	if g.Len() > 8 {
		t.Errorf("remembers %d", g.Len())
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("order", "1", "2", 64)
	f.Add("", "\r\n", "\u00e9", 0)
	f.Fuzz(func(t *testing.T, operation, a, b string, longest int) {
		rule := keys.Rule{MaxLength: longest}

		key, err := keys.Event(operation, a, b)(t.Context(), keys.Call{Rule: rule})
		if err == nil && rule.Validate(key) != nil {
			t.Errorf("%q is not valid", key)
		}
	})
}
