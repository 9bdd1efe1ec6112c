package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

var found = sync.OnceValue(simulate)

func TestPublishedFigures(t *testing.T) {
	for _, p := range published(found()) {
		if math.Abs(p.off()) > 0.05 {
			t.Errorf("%s: %v, published %v (%s): off by %.1f %%", p.what, p.got, p.want, p.source, 100*p.off())
		}
	}
}

// TestJitterConclusions holds the models to what the article concludes in words.
func TestJitterConclusions(t *testing.T) {
	f := found()
	plain, full, equal, decorrelated := f.writes("exponential, no jitter"), f.writes("full jitter"), f.writes("equal jitter"), f.writes("decorrelated jitter")

	if full > plain/2 {
		t.Errorf("full jitter takes %v writes, more than half of the %v without jitter", full, plain)
	}

	if equal < full || decorrelated < full {
		t.Errorf("full jitter takes %v writes, equal %v, decorrelated %v: full is not the least", full, equal, decorrelated)
	}
}

// TestBreakEvenIsTheFormula checks the bucket against the arithmetic of its rules: a first success pays 1 in, a success
// on the last of three attempts leaves one retry unpaid, a failure leaves two.
func TestBreakEvenIsTheFormula(t *testing.T) {
	for _, cost := range []int{5, 14} {
		for _, p := range []float64{0.1, 0.2, 0.3, 0.4} {
			want := (1 - p) - float64(cost)*p*p*(1-p) - 2*float64(cost)*p*p*p
			if got := drift(cost, p, seed); math.Abs(got-want) > 0.05 {
				t.Errorf("cost %d, %.0f %% failures: drift %.3f, want %.3f", cost, 100*p, got, want)
			}
		}
	}
}

// TestMetastableOverload is the textbook case (Bronson et al., HotOS 2021): below 300 calls a second the server is fine,
// and at 280 an outage of ten seconds with one retry a call leaves it busy with nothing of use for good, unless it has
// room for twice the calls.
func TestMetastableOverload(t *testing.T) {
	s := overload()
	s.clients, s.rate = 100, 2.8
	one := plan{name: "one retry", decide: naive(1, time.Second)}

	last := func(s scenario) second { return sum(play(s, one), s.lasts-30*time.Second, s.lasts) }

	stuck := last(s)
	if rate := float64(stuck.attempts) / 30; math.Abs(rate/560-1) > 0.05 {
		t.Errorf("%.0f attempts a second, published 560", rate)
	}

	if float64(stuck.goodput) > 0.01*float64(stuck.calls) {
		t.Errorf("%d of %d calls answered a minute after the outage, published: none", stuck.goodput, stuck.calls)
	}

	s.rate = 1.4
	if free := last(s); float64(free.goodput) < 0.99*float64(free.calls) {
		t.Errorf("%d of %d calls answered at 140 calls a second, published: stable below 150", free.goodput, free.calls)
	}
}

func TestBudgetsEndTheOverload(t *testing.T) {
	f := found()
	wait := make(map[string]time.Duration)

	for _, o := range f.outages {
		after, ok := recovery(f.scenario, o.seconds)
		if ok {
			wait[o.plan.name] = after
		}
	}

	for _, name := range []string{"three naive retries", "full jitter only"} {
		if after, ok := wait[name]; ok {
			t.Errorf("%s: back after %s, want never", name, after)
		}
	}

	for _, name := range []string{"no retries", "full jitter and bucket", "full jitter and share of 10 %"} {
		if _, ok := wait[name]; !ok {
			t.Errorf("%s: never back", name)
		}
	}

	if wait["full jitter and bucket"] > wait["no retries"]+2*time.Second {
		t.Errorf("the bucket is back after %s, no retries after %s", wait["full jitter and bucket"], wait["no retries"])
	}
}

// TestBucketCostsNothingInGoodTimes: below the break-even the bucket never says no.
func TestBucketCostsNothingInGoodTimes(t *testing.T) {
	for _, p := range []float64{0.01, 0.1, 0.2} {
		free := steady(strategy{attempts: 3}, single(), p)
		held := steady(strategy{attempts: 3, guard: bucket(budget.DefaultTransientCost, budget.DefaultThrottleCost)}, single(), p)

		if held != free {
			t.Errorf("%.0f %% failures: %+v with the bucket, %+v without", 100*p, held, free)
		}
	}
}

// TestDocsAreFresh fails when docs/ does not hold what the command writes. So it also shows that a run depends on its
// seed only: docs/ is another run's.
func TestDocsAreFresh(t *testing.T) {
	const docs = "../../docs"

	if runtime.GOARCH != "amd64" {
		t.Skip("docs/ was written on amd64; other machines may round the last digit of a product differently")
	}

	dir := t.TempDir()

	for _, name := range []string{"budget.md", "simulation.csv", "simulation.svg"} {
		text, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := run(io.Discard, found(), dir, ""); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"budget.md", "simulation.csv", "simulation.svg"} {
		have, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}

		if want, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("docs/%s is stale (%v): cd bench && go run ./simulation -docs ../docs", name, err)
		}
	}
}
