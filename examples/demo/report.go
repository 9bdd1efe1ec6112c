package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report prints the three runs side by side and what the SDK spent.
func report(out io.Writer, term terminal, s settings, t *tally, sdk, plain, naive result) {
	runs := []result{sdk, plain, naive}
	line := func(label string, bad bool, value func(result) string) {
		fmt.Fprintf(out, "%-34s", label)
		for _, r := range runs {
			text := value(r)
			padded := fmt.Sprintf("%14s", text)
			if bad && text != "0" {
				padded = term.paint(red, padded)
			}
			fmt.Fprint(out, padded)
		}
		fmt.Fprintln(out)
	}
	number := func(f func(result) int) func(result) string {
		return func(r result) string { return strconv.Itoa(f(r)) }
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, term.paint(bold, fmt.Sprintf("%-34s%14s%14s%14s", "", "retrysafe SDK", "net/http", "naive loop")))
	line("intents (orders and payments)", false, number(func(r result) int { return r.intents }))
	line("effects on the server", false, number(result.happened))
	line("  happened more than once", true, number(result.doubled))
	line("  never happened", true, number(result.lost))
	line("calls that came back well", false, number(func(r result) int { return r.told }))
	line("  failed, yet the effect is there", true, number(func(r result) int { return r.wrongly }))
	line("requests that arrived", false, number(func(r result) int { return int(r.sent) }))
	line("charged, EUR", false, func(r result) string { return euros(r.effects.Charged["EUR"]) })
	line("  too much (+) or too little (-)", true, func(r result) string {
		wrong := r.effects.Charged["EUR"] - int64(s.orders)*price
		if wrong == 0 {
			return "0"
		}
		return fmt.Sprintf("%+d.%02d", wrong/100, abs(wrong)%100)
	})
	line("seconds", false, func(r result) string { return fmt.Sprintf("%.1f", r.took.Seconds()) })
	fmt.Fprintf(out, "\nnet/http: one attempt of at most %v.\nnaive loop: up to %d of them, again on any error, without a key.\n", s.timeout, s.attempts)

	fmt.Fprintf(out, "retrysafe SDK: its defaults, and attempts of at most %v.\n\nretries: %s\n", s.timeout, causes(t.retries))
	fmt.Fprintf(out, "waited between attempts: %v, all calls together\n", t.waited.Round(time.Millisecond))
	fmt.Fprintf(out, "retry budget left: %d of %d tokens, %d retries refused\n", t.budget.Available, t.budget.Capacity, t.budget.Refused)
	verdict := term.paint(green, "effects == intents: each happened, none twice")
	if sdk.happened() != sdk.intents || sdk.doubled() != 0 || sdk.lost() != 0 {
		verdict = term.paint(red, fmt.Sprintf("effects != intents: %d doubled, %d lost", sdk.doubled(), sdk.lost()))
	}
	fmt.Fprintf(out, "retrysafe SDK: %s\n", verdict)
}

func euros(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func abs(n int64) int64 { return max(n, -n) }

// causes lists the retries by what made them necessary, the most frequent first.
func causes(retries map[string]int) string {
	total := 0
	names := slices.SortedFunc(maps.Keys(retries), func(a, b string) int {
		return cmp.Or(retries[b]-retries[a], strings.Compare(a, b))
	})
	parts := make([]string, 0, len(names))
	for _, name := range names {
		total += retries[name]
		parts = append(parts, fmt.Sprintf("%s %d", name, retries[name]))
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}
