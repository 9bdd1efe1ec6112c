package check

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/conformance"
)

// formats are the reports by name.
var formats = map[string]func(out io.Writer, name string, results []conformance.Result) error{
	"text": writeText, "json": writeJSON, "junit": writeJUnit,
}

// writeText lists the cases that ran, and what the others would have needed.
func writeText(out io.Writer, name string, results []conformance.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", name)
	counts := map[conformance.Verdict]int{}
	skipped := map[string][]string{}
	var must, should int
	for _, r := range results {
		counts[r.Verdict]++
		if r.Verdict == conformance.Skip {
			need := strings.TrimPrefix(r.Detail, "needs ")
			skipped[need] = append(skipped[need], r.ID)
			continue
		}
		fmt.Fprintf(&b, "%-7s %-6s %-4s  %s\n", r.ID, r.Level, r.Verdict, r.Title)
		if r.Detail != "" {
			fmt.Fprintf(&b, "                     %s\n", strings.ReplaceAll(r.Detail, "\n", "\n                     "))
		}
		if r.Verdict == conformance.Fail && r.Level == conformance.Must {
			must++
		} else if r.Verdict == conformance.Fail {
			should++
		}
	}
	fmt.Fprintf(&b, "\n%d passed; failed: %d that must pass, %d that should; %d only tell; %d skipped\n",
		counts[conformance.Pass], must, should, counts[conformance.Reported], counts[conformance.Skip])
	for _, need := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(&b, "  for want of %s: %s\n", need, strings.Join(skipped[need], " "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// line is a case in a report for programs.
type line struct {
	ID      string `json:"id"`
	Level   string `json:"level"`
	Verdict string `json:"verdict"`
	Title   string `json:"title"`
	Detail  string `json:"detail,omitempty"`
	Millis  int64  `json:"ms"`
}

func writeJSON(out io.Writer, name string, results []conformance.Result) error {
	report := struct {
		Subject string `json:"subject"`
		Cases   []line `json:"cases"`
	}{Subject: name, Cases: make([]line, len(results))}
	for i, r := range results {
		report.Cases[i] = line{r.ID, string(r.Level), string(r.Verdict), r.Title, r.Detail, r.Took.Milliseconds()}
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(report)
}

// The form that CI systems read, as the schema of Jenkins' JUnit plugin has it. The level is the class.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Seconds string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

func writeJUnit(out io.Writer, _ string, results []conformance.Result) error {
	suite := junitSuite{Name: "retrysafe check", Tests: len(results)}
	for _, r := range results {
		c := junitCase{Class: "retrysafe." + string(r.Level), Name: r.ID + " " + r.Title, Seconds: fmt.Sprintf("%.3f", r.Took.Seconds())}
		switch r.Verdict {
		case conformance.Fail:
			suite.Failures++
			c.Failure = &junitMessage{r.Detail}
		case conformance.Skip:
			suite.Skipped++
			c.Skipped = &junitMessage{r.Detail}
		case conformance.Pass, conformance.Reported:
			c.Output = r.Detail
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}
