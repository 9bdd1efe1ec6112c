package main

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

// report is one table of the page.
type report struct {
	name  string // of its markers in the page
	title string
	make  func(e effort) (string, error)
}

func (r report) write(path, text string) error { return page.Fill(path, r.name, text) }

func reports() []report {
	return []report{
		{"machine", "## Machine", machine},
		{"stub-get", "## GET over a stub network", func(e effort) (string, error) { return success(e, nil) }},
		{"stub-post", "## POST of 1 KiB over a stub network", func(e effort) (string, error) { return success(e, payload()) }},
		{"retried", "## A call that fails once and is retried", retried},
		{"typed", "## A generated call", typed},
		{"loopback", "## Over the loopback interface", overLoopback},
		{"parallel", "## 64 goroutines on one client", parallel},
	}
}

func machine(e effort) (string, error) {
	return fmt.Sprintf("%s, %s/%s, %d CPUs; %d passes, in each %d calls of every client over the stub.",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), e.passes, e.ops), nil
}

// success is the table of a call over the stub, with the bars.
func success(e effort, body []byte) (string, error) {
	costs, err := measure(subjects(stub{}, "http://stub.test/orders", body), twoName, e)
	if err != nil {
		return "", err
	}

	rows := make([][]string, 0, len(costs))
	for _, c := range contenders() {
		got := costs[c.name]
		rows = append(rows, append([]string{c.name},
			yes(c.does.retries), c.does.limited(c.does.deadline), c.does.limited(c.does.attempt), yes(c.does.key && body != nil),
			number(got.allocs), number(got.bytes), ratio(got.ratio), nanos(got.cpu), verdict(c, costs)))
	}

	table := page.Table([]string{
		"client", "retries", "deadline", "attempt timeout", "key", "allocs", "bytes",
		"CPU", "CPU time", "retrysafe is below",
	}, rows)

	return table + "\n" + judge(successBars(costs)), nil
}

// verdict is how ours compares with a row.
func verdict(c contender, costs map[string]cost) string {
	if c.name == oursName || !c.does.retries || !c.does.attempt {
		return ""
	}

	return passed(costs[oursName].allocs < costs[c.name].allocs && costs[oursName].ratio < costs[c.name].ratio)
}

func subjects(network http.RoundTripper, url string, body []byte) []subject {
	field := contenders()
	all := make([]subject, 0, len(field))

	for _, c := range field {
		call := c.make(network, url)
		all = append(all, subject{name: c.name, run: func() error { return call(body) }})
	}

	return all
}

// overLoopback is the same calls to a server in this process, whose cost is in all rows.
func overLoopback(e effort) (string, error) {
	e.ops = max(e.ops/20, 1)

	var results [2]map[string]cost

	for i, body := range [][]byte{nil, payload()} {
		net := newLoopback()

		costs, err := measure(subjects(net.transport, net.server.URL+"/orders", body), twoName, e)

		net.close()

		if err != nil {
			return "", err
		}

		results[i] = costs
	}

	rows := make([][]string, 0, len(results[0]))

	for _, c := range contenders() {
		row := []string{c.name}
		for _, costs := range results {
			row = append(row, strconv.FormatFloat(costs[c.name].allocs, 'f', 0, 64), ratio(costs[c.name].ratio))
		}

		rows = append(rows, row)
	}

	return page.Table([]string{"client", "GET allocs", "GET CPU", "POST allocs", "POST CPU"}, rows), nil
}

func yes(v bool) string {
	if v {
		return "yes"
	}

	return "-"
}

func passed(v bool) string {
	if v {
		return "pass"
	}

	return "**FAIL**"
}

// number prints a count that is whole but for what the runtime allocated meanwhile.
func number(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

func nanos(d time.Duration) string { return number(float64(d)) + " ns" }

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// payload is a JSON body of 1 KiB.
func payload() []byte {
	const head, tail = `{"note":"`, `"}`

	return []byte(head + strings.Repeat("x", 1024-len(head)-len(tail)) + tail)
}
