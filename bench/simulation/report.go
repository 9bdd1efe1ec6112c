package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

// table is one of the tables of the page.
type table struct{ name, title, text string }

func tables(f findings) []table {
	return []table{
		{"outage", "An outage of ten seconds", outageTable(f)},
		{"load", "Attempts for each call, by the share of attempts that fail", loadTable(f)},
		{"break-even", "Failure rate at which the bucket begins to drain", evenTable(f)},
		{"published", "Against published figures and arithmetic", publishedTable(f)},
		{"backoff", "Writes until all clients are through, and the time that takes", formTable(f)},
	}
}

func outageTable(f findings) string {
	rows := make([][]string, 0, len(f.outages))

	for _, o := range f.outages {
		during := sum(o.seconds, f.scenario.from, f.scenario.until)
		after := sum(o.seconds, f.scenario.until, f.scenario.lasts)
		end := sum(o.seconds, f.scenario.lasts-30*time.Second, f.scenario.lasts)

		back := "never"
		if took, ok := recovery(f.scenario, o.seconds); ok {
			back = fmt.Sprintf("%.0f s", took.Seconds())
		}

		rows = append(rows, []string{
			o.plan.name, perSecond(during.attempts, f.scenario.until-f.scenario.from), back,
			percent(float64(after.goodput) / float64(after.calls)),
			perSecond(end.attempts, 30*time.Second), percent(float64(end.goodput) / float64(end.calls)),
		})
	}

	return page.Table([]string{
		"clients", "attempts/s in the outage", "back after", "calls answered from its end on", "attempts/s at the end", "calls answered at the end",
	}, rows)
}

// shown are the failure rates of the table; the chart and the CSV file have them all.
var shown = []float64{0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1}

func loadTable(f findings) string {
	head := append(make([]string, 0, 1+len(shown)), "clients")
	for _, p := range shown {
		head = append(head, strconv.FormatFloat(100*p, 'f', -1, 64)+" %")
	}

	rows := make([][]string, 0, len(f.loads))

	for _, l := range f.loads {
		row := append(make([]string, 0, 1+len(shown)), l.strategy.name)
		for _, p := range shown {
			row = append(row, decimals(l.at(p).factor(), 3))
		}

		rows = append(rows, row)
	}

	return page.Table(head, rows)
}

func (l loads) at(p float64) load {
	for _, row := range l.rows {
		if row.failures > p-0.001 && row.failures < p+0.001 {
			return row.load
		}
	}

	return load{}
}

func evenTable(f findings) string {
	rows := make([][]string, 0, len(f.evens))
	for _, e := range f.evens {
		rows = append(rows, []string{strconv.Itoa(e.cost), percent(e.rate)})
	}

	return page.Table([]string{"a retry costs", "failure rate"}, rows)
}

func publishedTable(f findings) string {
	facts := published(f)
	rows := make([][]string, 0, len(facts))

	for _, p := range facts {
		rows = append(rows, []string{
			p.what, decimals(p.want, p.digits), decimals(p.got, p.digits),
			fmt.Sprintf("%+.1f %%", 100*p.off()), p.source,
		})
	}

	return page.Table([]string{"figure", "published", "here", "off by", "source"}, rows)
}

func formTable(f findings) string {
	var (
		rows [][]string
		last string
	)

	for _, r := range f.forms {
		if r.form.name != last {
			last = r.form.name
			offered := "-"

			if r.form.offered {
				offered = "yes"
			}

			rows = append(rows, []string{last, offered})
		}

		rows[len(rows)-1] = append(rows[len(rows)-1], fmt.Sprintf("%.0f in %.1f s", r.calls, r.took.Seconds()))
	}

	return page.Table([]string{"wait", "in sdk/retry", "10 clients", "50", "100"}, rows)
}

// csv holds all figures in long form.
func csv(f findings) string {
	var b strings.Builder

	b.WriteString("experiment,clients,x,metric,value\n")

	for _, o := range f.outages {
		for i, s := range o.seconds {
			for _, m := range []struct {
				name  string
				value int
			}{{"calls", s.calls}, {"attempts", s.attempts}, {"goodput", s.goodput}} {
				fmt.Fprintf(&b, "outage,%s,%d,%s,%d\n", o.plan.name, i, m.name, m.value)
			}
		}
	}

	for _, l := range f.loads {
		for _, r := range l.rows {
			fmt.Fprintf(&b, "failure rate,%s,%.3f,attempts per call,%.4f\n", l.strategy.name, r.failures, r.load.factor())
			fmt.Fprintf(&b, "failure rate,%s,%.3f,success,%.4f\n", l.strategy.name, r.failures, r.load.success())
		}
	}

	for _, r := range f.forms {
		fmt.Fprintf(&b, "contention,\"%s\",%d,writes,%.1f\n", r.form.name, r.clients, r.calls)
		fmt.Fprintf(&b, "contention,\"%s\",%d,seconds,%.3f\n", r.form.name, r.clients, r.took.Seconds())
	}

	return b.String()
}

func perSecond(n int, span time.Duration) string {
	return strconv.FormatFloat(float64(n)/span.Seconds(), 'f', 0, 64)
}

func percent(v float64) string { return decimals(100*v, 1) + " %" }

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }
