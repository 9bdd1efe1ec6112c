package main

import (
	"fmt"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

// bar is one requirement: what was measured against what it may be at most.
type bar struct {
	name          string
	limit, actual string
	ok            bool
}

func judge(bars []bar) string {
	rows := make([][]string, 0, len(bars))
	for _, b := range bars {
		rows = append(rows, []string{b.name, b.limit, b.actual, passed(b.ok)})
	}

	return page.Table([]string{"bar", "limit", "measured", "result"}, rows)
}

// maxCPU is how much more CPU than net/http with two timeouts a call may take.
const maxCPU = 1.15

func successBars(costs map[string]cost) []bar {
	us, two := costs[oursName], costs[twoName]
	fewest, least := rivals(costs)

	return []bar{
		{"allocations, at most those of " + twoName, number(two.allocs), number(us.allocs), round(us.allocs) <= round(two.allocs)},
		{"CPU, at most 1.15 times that of " + twoName, ratio(maxCPU), ratio(us.ratio), us.ratio <= maxCPU},
		{"allocations, fewer than any peer with retries and timeouts of its own", "< " + number(fewest), number(us.allocs), round(us.allocs) < round(fewest)},
		{"CPU, less than any peer with retries and timeouts of its own", "< " + ratio(least), ratio(us.ratio), us.ratio < least},
	}
}

// rivals returns the best of the peers that retry and limit an attempt's time.
func rivals(costs map[string]cost) (allocs, cpu float64) {
	first := true

	for _, c := range contenders() {
		if c.name == oursName || !c.does.rival() {
			continue
		}

		got := costs[c.name]
		if first {
			allocs, cpu, first = got.allocs, got.ratio, false
		}

		allocs, cpu = min(allocs, got.allocs), min(cpu, got.ratio)
	}

	return allocs, cpu
}

func round(v float64) int { return int(v + 0.5) }

// maxDrift is how far the throughput of a core may fall when 64 goroutines share a client.
const maxDrift = 0.10

func parallelBar(name string, relative float64) bar {
	return bar{
		name: name, limit: fmt.Sprintf(">= %.2f", 1-maxDrift),
		actual: ratio(relative), ok: relative >= 1-maxDrift,
	}
}
