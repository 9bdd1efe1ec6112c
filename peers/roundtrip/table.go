package main

import (
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/peers/meaning"
	"github.com/retrysafe/retrysafe/peers/sample"
)

// row is what the examples of one document gave.
type row struct {
	Name       string   `json:"name"`
	Same       int      `json:"same"`       // nothing is lost or added
	Requests   int      `json:"requests"`   // of those, encoded as a client sends them too
	Refused    int      `json:"refused"`    // contradict their schema and are not decoded
	Differ     int      `json:"differ"`     // contradict their schema and differ just there
	Notes      []string `json:"notes"`      // on the two before
	Losses     []string `json:"losses"`     // everything else
	Misfitting int      `json:"misfitting"` // contradict their schema and are kept all the same
}

// judge tells losses from what the document's own contradictions explain.
func judge(name string, doc *sample.Document, examples []shown, outcomes []meaning.Outcome) (r row) {
	readOnly := doc.ReadOnly()
	for i, o := range outcomes {
		e := examples[i]
		misfits := doc.Misfits(e.Schema, e.Value)
		place := e.Place + " as " + e.Type + ": "
		lost, explained, wrong := o.Refused+o.Broken, "", ""
		for _, m := range misfits {
			if !m.Harmless {
				wrong = m.Path + " " + m.Reason
				break
			}
		}
		for _, d := range o.Kept {
			if m := explain(misfits, d.Path); m != "" {
				explained = d.Path + " " + d.Kind + " " + d.Text + " (" + m + ")"
			} else {
				lost = d.Path + " " + d.Kind + " " + d.Text
			}
		}
		for _, d := range o.Sent {
			if explain(misfits, d.Path) == "" && (d.Kind != "missing" || !readOnly[d.Path[strings.LastIndex(d.Path, ".")+1:]]) {
				lost = "sent: " + d.Path + " " + d.Kind + " " + d.Text
			}
		}
		switch {
		case o.Refused != "" && wrong != "":
			r.Refused++
			r.Notes = append(r.Notes, place+o.Refused+" ("+wrong+")")
		case o.Refused != "" && reason(name, place) != "":
			r.Refused++
			r.Notes = append(r.Notes, place+o.Refused+" ("+reason(name, place)+")")
		case lost != "":
			r.Losses = append(r.Losses, place+lost)
		case explained != "":
			r.Differ++
			r.Notes = append(r.Notes, place+explained)
		default:
			r.Same++
			if e.Request {
				r.Requests++
			}
			if wrong != "" {
				r.Misfitting++
			}
		}
	}
	return r
}

// explain gives the contradiction at a place, above it or below it.
func explain(misfits []sample.Misfit, path string) string {
	for _, m := range misfits {
		if m.Path == path || strings.HasPrefix(path, m.Path+".") || strings.HasPrefix(path, m.Path+"[") ||
			strings.HasPrefix(m.Path, path+".") || strings.HasPrefix(m.Path, path+"[") {
			return m.Path + " " + m.Reason
		}
	}
	return ""
}

const legend = `## Round trips

Every example of a document's request bodies, answers and schemas is decoded into its generated type and encoded again. Columns:

- **kept**: what was written means what was read, with every digit, unknown member and unknown enum value; **sent too** are those of request
  bodies, which were also encoded as a client sends them and lost only what is readOnly.
- **refused**, **differ there**: the example contradicts its own schema (` + "`peers/sample`" + ` finds the place without the generator). It is not decoded,
  or it differs at that place and nowhere else: a null that the schema does not have is left out, a member that must be there, or whose only
  value is its default, is written.
- **lost**: everything else.

`

func line(r row) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |", r.Name, r.Same+r.Refused+r.Differ+len(r.Losses), r.Same, r.Requests, r.Refused, r.Differ, len(r.Losses))
}

func table(rows []row) (text string, losses, examples int) {
	var b strings.Builder
	b.WriteString(legend + "| document | examples | kept | sent too | refused | differ there | lost |\n|---|---|---|---|---|---|---|\n")
	var sum row
	sum.Name = "all"
	for _, r := range rows {
		if r.Same+r.Refused+r.Differ+len(r.Losses) == 0 {
			continue
		}
		b.WriteString(line(r) + "\n")
		sum.Same += r.Same
		sum.Requests += r.Requests
		sum.Refused += r.Refused
		sum.Differ += r.Differ
		sum.Losses = append(sum.Losses, r.Losses...)
	}
	b.WriteString(line(sum) + "\n")
	return b.String(), len(sum.Losses), sum.Same + sum.Refused + sum.Differ + len(sum.Losses)
}
