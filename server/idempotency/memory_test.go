package idempotency

import (
	"strconv"
	"testing"
	"time"
)

func TestMemoryForgets(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	m := NewMemory(func() time.Time { return now })
	claim := func(key string) Claim {
		t.Helper()
		c, _, err := m.Claim(t.Context(), Request{Scope: Scope{Key: key}, Lease: time.Minute, Window: time.Hour})
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		return c
	}
	for i := range 1000 { // kept for an hour each, a minute apart
		if err := claim(strconv.Itoa(i)).Complete(t.Context(), Response{Status: 200}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	if len(m.records) > 62 || len(m.queue) > 62 {
		t.Errorf("%d records, %d in the queue", len(m.records), len(m.queue))
	}
	for i := range 10_000 { // released at once
		if err := claim("r" + strconv.Itoa(i)).Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.records) > 62 || len(m.queue) > 200 {
		t.Errorf("%d records, %d in the queue after releases", len(m.records), len(m.queue))
	}
}
