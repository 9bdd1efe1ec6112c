package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// row finds the three numbers of a line of the report.
func row(t *testing.T, output, label string) []string {
	t.Helper()
	match := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(label) + `\s+(\S+)\s+(\S+)\s+(\S+)$`).FindStringSubmatch(output)
	if match == nil {
		t.Fatalf("no line %q in:\n%s", label, output)
	}
	return match[1:]
}

func TestRunInLines(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-orders", "40", "-seed", "3", "-timeout", "500ms"}, &out, terminal{}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	output := out.String()
	for label, want := range map[string]string{
		"intents (orders and payments)": "80", "effects on the server": "80", "happened more than once": "0",
		"never happened": "0", "failed, yet the effect is there": "0", "charged, EUR": "2392.00",
	} {
		if got := row(t, output, label)[0]; got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
	if got := row(t, output, "never happened"); got[1] == "0" || got[2] != "0" {
		t.Errorf("lost: %v, want some with net/http and none with retries", got)
	}
	if got := row(t, output, "happened more than once"); got[1] != "0" || got[2] == "0" {
		t.Errorf("doubled: %v, want none with net/http and some with naive retries", got)
	}
	if !strings.Contains(output, "effects == intents") {
		t.Errorf("no verdict in:\n%s", output)
	}
}

// The same seed meets the same faults, so the counts do not depend on the order in which workers run.
func TestSeedDecidesTheCounts(t *testing.T) {
	counts := func() []string {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-orders", "20", "-seed", "9", "-timeout", "500ms"}, &out, terminal{}); err != nil {
			t.Fatal(err)
		}
		output := out.String()
		return append(row(t, output, "effects on the server"), row(t, output, "requests that arrived")...)
	}
	if first, second := fmt.Sprint(counts()), fmt.Sprint(counts()); first != second {
		t.Errorf("%s, then %s", first, second)
	}
}

// A network that is worse than the attempts can bear: the demo says so and fails.
func TestRunFailsWhenEffectsDiffer(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{"-orders", "20", "-limit", "9", "-faults", "3", "-timeout", "100ms"}, &out, terminal{})
	if !errors.Is(err, errDiffer) || !strings.Contains(out.String(), "effects != intents") {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestCountsOfAResult(t *testing.T) {
	r := result{intents: 6, effects: shop.Effects{Orders: map[string]int64{"a": 1, "b": 3}, Payments: map[string]int64{"a": 2}}}
	if got := [3]int{r.happened(), r.doubled(), r.lost()}; got != [3]int{6, 3, 3} {
		t.Errorf("happened, doubled, lost: %v, want 6 3 3", got)
	}
}

func TestCause(t *testing.T) {
	for want, event := range map[string]transport.Event{
		"503":       {StatusCode: 503},
		"cut short": {Err: io.ErrUnexpectedEOF},
		"no answer": {Err: fmt.Errorf("closed: %w", syscall.ECONNRESET)},
		"timeout":   {Err: fmt.Errorf("attempt: %w", context.DeadlineExceeded)},
		"error":     {Err: errors.New("else")},
	} {
		if got := cause(event); got != want {
			t.Errorf("%v: %q, want %q", event, got, want)
		}
	}
}

func TestScreenOnATerminal(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, terminal{live: true, width: 60, height: 11}, 5, false)
	s.begin = time.Now()
	for n := range 4 {
		s.drawnAt = time.Time{}
		s.done(&call{
			intent: fmt.Sprintf("order-%04d", n), attempts: 2, key: "0123456789abcdef", wait: 40 * time.Millisecond,
			steps: []string{"no answer", "201"}, replayed: true,
		})
	}
	s.done(&call{intent: "pay-0001", attempts: 1})
	s.close()
	last := out.String()[strings.LastIndex(out.String(), "\x1b[6A"):]
	want := []string{
		"call        attempts  key              waited  what happened",
		"order-0001         2  01234567...        40ms  no answer > 2",
		"order-0002         2  01234567...        40ms  no answer > 2",
		"order-0003         2  01234567...        40ms  no answer > 2",
		"",
		"[==============================] 5 of 5 calls, 4 met a fault",
	}
	got := strings.Split(strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(last, "\x1b[6A"), "\r\x1b[2K", ""), "\n"), "\n")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("screen:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCallsThatFailAreShown(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, terminal{}, 1, false)
	s.done(&call{intent: "pay-0001", attempts: 3, key: "short", steps: []string{"503", "503", "503"}, reason: "attempts", failure: errors.New("x")})
	if !strings.Contains(out.String(), "503 > 503 > 503 FAILED: attempts") {
		t.Errorf("output:\n%s", &out)
	}
}
