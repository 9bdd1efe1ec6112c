package client_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// keyOf is the key that a call with this event is sent under.
func keyOf(t *testing.T, event client.Event) string {
	t.Helper()
	key := ""
	c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Idempotency-Key")
		answer(w, 200, "application/json", `{}`)
	})
	if _, err := client.Do[*order](t.Context(), c, &opCreate, client.Input{Body: &order{}, Event: event}, nil); err != nil {
		t.Fatal(err)
	}
	return key
}

func TestEventKeysThatCanBeRead(t *testing.T) {
	ref, n := "r-1", int64(42)
	for want, event := range map[string]client.Event{
		"order-confirm-ref-7":       {"order-confirm-", "ref-7"},
		"order-confirm-r-1":         {"order-confirm-", &ref},
		"page-42":                   {"page-", n},
		"page-42-of-x":              {"page-", &n, "-of-", "x"},
		"a/b!":                      {"", "a/b", "!"},
		"day-2026-01-02":            {"day-", wire.Date{Year: 2026, Month: time.January, Day: 2}},
		"paid-true":                 {"paid-", true},
		"refund-ord1-2":             {"refund-", "ord1", "-", 2},
		strings.Repeat("k", 60):     {strings.Repeat("k", 59), "k"},
		"of-a-named-type-" + "card": {"of-a-named-type-", client.SchemeKind("card")},
	} {
		if got := keyOf(t, event); got != want {
			t.Errorf("%v: %q, want %q", event, got, want)
		}
	}
}

func TestEventKeysThatAreHashed(t *testing.T) {
	events := []client.Event{
		{"a-", "with space"},
		{"a-", "é"},
		{"a-", strings.Repeat("x", 100)},
		{"a-", "1-2", "-", "3"},
		{"a-", "1", "-", "2-3"},
		{"a-", "1", "", "23"},
		{"a-", "12", "", "3"},
	}
	seen := map[string]client.Event{}
	for _, event := range events {
		key := keyOf(t, event)
		if again := keyOf(t, event); again != key {
			t.Errorf("%v: %q and then %q", event, key, again)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("%v and %v have the same key %q", event, other, key)
		}
		seen[key] = event
		if len(key) > 64 || strings.Contains(key, " ") {
			t.Errorf("%v: %q", event, key)
		}
	}
}

// An event of which a part is missing would give one key to many calls.
func TestEventsWithoutAValueHaveNoKeyOfTheirOwn(t *testing.T) {
	var missing *string
	for _, event := range []client.Event{{"a-", missing}, {"a-", ""}, {"a-"}, {"a-", nil}, {"a-", []string{"x"}}, nil} {
		one, two := keyOf(t, event), keyOf(t, event)
		if one == two || uuid.Validate(one) != nil {
			t.Errorf("%v: %q and %q", event, one, two)
		}
	}
}
