package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// effort is how much is measured.
type effort struct {
	passes int // over all contenders in turn
	ops    int // calls of a contender in a pass
}

// cost is what one call costs.
type cost struct {
	allocs, bytes float64
	// cpu is the process CPU time of a call, the mean of the quietest quarter of the passes, and ratio what it is to the
	// baseline's. A neighbour on the machine takes away cache and adds time, never the other way round.
	cpu   time.Duration
	ratio float64
}

// subject is one thing to measure: name is its row, run makes one call.
type subject struct {
	name string
	run  func() error
}

// measure counts what a call of each subject costs. The passes run over all subjects, in another order each time, so
// that whatever disturbs the machine disturbs all and nobody always follows the same neighbour; base is the row that
// ratios are against.
func measure(subjects []subject, base string, e effort) (map[string]cost, error) {
	costs := make(map[string]cost, len(subjects))

	for _, s := range subjects {
		allocs, bytes, err := memory(s.run, min(e.ops, countedOps))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}

		costs[s.name] = cost{allocs: allocs, bytes: bytes}
	}

	debug.FreeOSMemory() // or the runtime gives back what that took while the clock runs

	spent := make(map[string][]time.Duration, len(subjects))

	order := rand.New(rand.NewPCG(1, 2))

	for range e.passes {
		for _, i := range order.Perm(len(subjects)) {
			s := subjects[i]

			// Nobody pays for what the one before has left behind: garbage, and timers that were stopped.
			if _, err := timed(e.ops/10, 1, s.run); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}

			runtime.GC()

			took, err := timed(e.ops, 1, s.run)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}

			spent[s.name] = append(spent[s.name], took.cpu)
		}
	}

	for name, c := range costs {
		c.cpu = quiet(spent[name])
		c.ratio = float64(c.cpu) / float64(quiet(spent[base]))
		costs[name] = c
	}

	return costs, nil
}

// quiet is the mean of the least quarter of the times.
func quiet(times []time.Duration) time.Duration {
	least := slices.Sorted(slices.Values(times))[:(len(times)+3)/4]

	var sum time.Duration
	for _, t := range least {
		sum += t
	}

	return sum / time.Duration(len(least))
}

// countedOps is enough calls for what the runtime allocates meanwhile to vanish in the rounding.
const countedOps = 1000

// memory counts the allocations of a call with the collector off, the least of a few rounds: what the runtime
// allocates for itself now and then is not the call's.
func memory(run func() error, ops int) (allocs, bytes float64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	allocs, bytes = math.Inf(1), math.Inf(1)

	for range 4 { // the first warms up pools and connections
		runtime.GC()

		var before, after runtime.MemStats

		runtime.ReadMemStats(&before)

		for range ops {
			if err := run(); err != nil {
				return 0, 0, err
			}
		}

		runtime.ReadMemStats(&after)

		allocs = min(allocs, float64(after.Mallocs-before.Mallocs)/float64(ops))
		bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(ops))
	}

	return allocs, bytes, nil
}

// spell is what a run of calls took, a call.
type spell struct{ cpu, wall time.Duration }

// timed makes ops calls, from as many goroutines at a time as told.
func timed(ops, goroutines int, run func() error) (spell, error) {
	var (
		wait   sync.WaitGroup
		failed = make(chan error, goroutines)
	)

	start, used := time.Now(), processCPU()

	for range goroutines {
		wait.Go(func() {
			for range ops / goroutines {
				if err := run(); err != nil {
					failed <- err

					return
				}
			}
		})
	}

	wait.Wait()

	used, took := processCPU()-used, time.Since(start)

	select {
	case err := <-failed:
		return spell{}, err
	default:
		n := time.Duration(max(ops/goroutines*goroutines, 1))

		return spell{cpu: used / n, wall: took / n}, nil
	}
}
