// Command simulation shows in virtual time what retries do to a server that is in trouble, with the backoff, the policy
// and the budgets of the SDK themselves, and checks them against published figures.
//
// It prints the tables of docs/budget.md. With -docs it writes them there, the figures to docs/simulation.csv and the
// chart to docs/simulation.svg. The same seed gives the same bytes.
//
// Usage: go run ./simulation [-docs ../docs] [-png FILE]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/retrysafe/retrysafe/bench/internal/page"
)

func main() {
	docs := flag.String("docs", "", "also write budget.md, simulation.csv and simulation.svg in this folder")
	png := flag.String("png", "", "also draw the chart as a PNG file")
	flag.Parse()

	if err := run(os.Stdout, simulate(), *docs, *png); err != nil {
		fmt.Fprintln(os.Stderr, "simulation:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, f findings, docs, png string) error {
	for _, t := range tables(f) {
		if _, err := fmt.Fprintf(out, "## %s\n\n%s\n", t.title, t.text); err != nil {
			return err
		}

		if docs == "" {
			continue
		}

		if err := page.Fill(filepath.Join(docs, "budget.md"), t.name, t.text); err != nil {
			return err
		}
	}

	if png != "" {
		if err := save(f, vgimg.PngCanvas{Canvas: vgimg.New(chartWidth, chartHeight)}, png); err != nil {
			return err
		}
	}

	if docs == "" {
		return nil
	}

	if err := os.WriteFile(filepath.Join(docs, "simulation.csv"), []byte(csv(f)), 0o644); err != nil {
		return err
	}

	return save(f, vgsvg.New(chartWidth, chartHeight), filepath.Join(docs, "simulation.svg"))
}

func save(f findings, canvas vg.CanvasWriterTo, path string) error {
	plots, err := chart(f)
	if err != nil {
		return err
	}

	var image bytes.Buffer
	if err := render(plots, canvas, &image); err != nil {
		return err
	}

	// Readers without this font get one with the same widths.
	text := strings.ReplaceAll(image.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")

	return os.WriteFile(path, []byte(text), 0o644)
}
