package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/peers/smoke"
)

var (
	digits  = regexp.MustCompile(`\d+`)
	message = regexp.MustCompile(`"message":"([^"]*)"`)
	title   = regexp.MustCompile(`"title":"([^"]*)"`)
)

// said is what was wrong with a call, without what differs from call to call.
func said(o smoke.Outcome) string {
	text := o.Detail
	if found := message.FindStringSubmatch(text); found != nil {
		text = found[1]
	} else if found := title.FindStringSubmatch(text); found != nil {
		text = found[1]
	} else if _, after, ok := strings.Cut(text, "cannot be decoded: "); ok {
		text = strings.TrimPrefix(after, "wire: ")
	}
	return shorten(digits.ReplaceAllString(text, "N"), 130)
}

func shorten(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.NewReplacer("|", "/", "<", "&lt;").Replace(s)
}

type counts struct{ calls, ok, example, declared, refused, undecoded, uncalled int }

func (c counts) answered() int { return c.ok + c.example + c.declared }

func (r row) counts() (c counts) {
	for _, o := range r.Outcomes {
		c.calls++
		switch o.Result {
		case "ok":
			c.ok++
		case "example":
			c.example++
		case "error-answer":
			c.declared++
		case "refused":
			c.refused++
		case "decode":
			c.undecoded++
		default:
			c.uncalled++
		}
	}
	return c
}

func line(r row) string {
	c := r.counts()
	share := 0.0
	if c.calls > 0 {
		share = 100 * float64(c.answered()) / float64(c.calls)
	}
	end := ""
	if r.Fault != "" {
		end = " " + r.Fault + " |"
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |%s", r.Name, c.calls, c.ok, c.example, c.declared, c.refused, c.undecoded, c.uncalled, share, end)
}

const legend = `## Prism

@stoplight/prism-cli 5.16.0 serves each document as it was published. A generated program calls every operation of the generated SDK with
values that ` + "`peers/sample`" + ` makes from the schemas; Prism validates the request and answers by the document. Columns:

- **answered**: no request-validation error, and the answer was decoded. It is the sum of the next three.
- **as shown**: the answer that Prism gives first, mostly the document's own example.
- **made up**: the SDK refused the first answer, which contradicts its schema (` + "`peers/sample`" + ` finds the place without the generator), mostly an
  example of the document; a second one, made from the schema, was decoded. Prism makes these at random, so a few differ from run to run.
- **error**: the document has no good answer for this call, so Prism gives a declared error, which came back as the typed error.
- **refused**, **not decoded**, **not called**: the failures, each listed below with its reason.

`

// table prints what all documents gave.
func table(rows []row) (text string, total, answered, unexplained int) {
	var b strings.Builder
	b.WriteString(legend)
	b.WriteString("| document | operations | as shown | made up | error | refused | not decoded | not called | answered |\n|---|---|---|---|---|---|---|---|---|\n")
	seconds := 0.0
	failures := map[string]int{}
	for _, r := range rows {
		b.WriteString(line(r) + "\n")
		c := r.counts()
		total += c.calls
		answered += c.answered()
		seconds += r.Seconds
		if r.Fault != "" {
			unexplained++
		}
		for _, o := range r.Outcomes {
			if o.Result == "ok" || o.Result == "error-answer" || o.Result == "example" {
				continue
			}
			fault, why := reason(r.Name, o)
			if fault == "" {
				unexplained++
				fault, why = "not explained", said(o)
			}
			failures[r.Name+" | "+o.Result+" | "+fault+" | "+why]++
		}
	}
	if total > 0 {
		fmt.Fprintf(&b, "\n%d documents, %d operations, %d answered and decoded: %.2f %%.\n", len(rows), total, answered, 100*float64(answered)/float64(total))
	}
	if len(failures) > 0 {
		b.WriteString("\n| document | failure | whose | reason | operations |\n|---|---|---|---|---|\n")
		for _, text := range slices.Sorted(maps.Keys(failures)) {
			fmt.Fprintf(&b, "| %s | %d |\n", text, failures[text])
		}
	}
	return b.String(), total, answered, unexplained
}
