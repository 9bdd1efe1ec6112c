package main

import (
	"net/http"
	"runtime"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

const crowd = 64

// parallel compares one goroutine with many on the same client, in calls for each second of CPU time.
func parallel(e effort) (string, error) {
	e.ops *= 4
	e.passes = max(e.passes/2, 1)

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

// scaling returns the median throughput of the crowd, over that of one goroutine in the same pass: for each second of
// CPU time and for each second of the clock.
func scaling(c contender, body []byte, e effort) (cpu, wall float64, err error) {
	var network http.RoundTripper = stub{}

	call := c.make(network, "http://stub.test/orders")
	once := func() error { return call(body) }

	var cpus, walls []float64

	for range e.passes {
		runtime.GC()

		alone, err := timed(e.ops, 1, once)
		if err != nil {
			return 0, 0, err
		}

		runtime.GC()

		many, err := timed(e.ops, crowd, once)
		if err != nil {
			return 0, 0, err
		}

		cpus = append(cpus, float64(alone.cpu)/float64(many.cpu))
		walls = append(walls, float64(alone.wall)/float64(many.wall))
	}

	return median(cpus), median(walls), nil
}
