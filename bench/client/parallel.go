package main

import (
	"net/http"
	"runtime"
	"time"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

const crowd = 64

// parallel compares one goroutine with many on the same client, in calls for each second of CPU time.
func parallel(e effort) (string, error) {
	e.ops = max(2*e.ops, crowd)

	var (
		rows [][]string
		bars []bar
	)

	for _, c := range contenders() {
		if c.name != oursName && c.name != twoName {
			continue
		}

		for _, body := range [][]byte{nil, payload()} {
			cpu, wall, err := scaling(c, body, e)
			if err != nil {
				return "", err
			}

			rows = append(rows, []string{c.name + ", " + methodOf(body), ratio(cpu), ratio(wall)})

			if c.name == oursName {
				bars = append(bars, parallelBar("throughput of a core, "+methodOf(body)+", 64 goroutines against 1", cpu))
			}
		}
	}

	return page.Table([]string{
		"client", "calls for each CPU second, 64 goroutines against 1",
		"calls a second on " + number(float64(runtime.GOMAXPROCS(0))) + " CPUs, 64 against 1",
	}, rows) + "\n" + judge(bars), nil
}

// scaling returns the throughput of the crowd over that of one goroutine: for each second of CPU time and for each
// second of the clock.
func scaling(c contender, body []byte, e effort) (cpu, wall float64, err error) {
	var network http.RoundTripper = stub{}

	call := c.make(network, "http://stub.test/orders")
	once := func() error { return call(body) }

	var cpus, walls [2][]time.Duration

	for range e.passes {
		for i, goroutines := range [...]int{1, crowd} {
			runtime.GC()

			took, err := timed(e.ops, goroutines, once)
			if err != nil {
				return 0, 0, err
			}

			cpus[i] = append(cpus[i], took.cpu)
			walls[i] = append(walls[i], took.wall)
		}
	}

	return float64(quiet(cpus[0])) / float64(quiet(cpus[1])), float64(quiet(walls[0])) / float64(quiet(walls[1])), nil
}
