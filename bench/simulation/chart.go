package main

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The chart's panels, top to bottom.
const (
	chartWidth  = 24 * vg.Centimeter
	chartHeight = 27 * vg.Centimeter
)

// line is a curve of a panel.
type line struct {
	name   string
	points plotter.XYs
	look   look
}

type look struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
}

// looks gives what stands for the same thing the same colour in all panels (palette of Okabe and Ito, which colour-blind
// readers can tell apart).
func looks(name string) look {
	switch name {
	case "no retries":
		return look{color: color.Gray{Y: 0x22}, width: vg.Points(1), dashes: []vg.Length{vg.Points(3), vg.Points(3)}}
	case "three naive retries":
		return look{color: color.RGBA{R: 0xd5, G: 0x5e, A: 0xff}, width: vg.Points(1.8)}
	case "full jitter only", "two retries":
		return look{color: color.RGBA{R: 0xe6, G: 0x9f, A: 0xff}, width: vg.Points(1.8)}
	case "full jitter and bucket", "bucket, a retry costs 14":
		return look{color: color.RGBA{G: 0x72, B: 0xb2, A: 0xff}, width: vg.Points(3)}
	case "bucket, a retry costs 5":
		return look{color: color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, width: vg.Points(1.8)}
	default:
		return look{color: color.RGBA{G: 0x9e, B: 0x73, A: 0xff}, width: vg.Points(1.8)}
	}
}

// panel is one plot of the chart.
func panel(title, x string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: 2, Size: vg.Points(13)}
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = x
	p.BackgroundColor = color.White

	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(11)}
	}

	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 0xe6}, color.Gray{Y: 0xe6}
	p.Add(grid)

	// All words start at their place and end where the reader's font has them end, so that another font than the one
	// that was measured with moves none of them into a line.
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.ThumbnailWidth = vg.Points(28)
	p.Legend.Padding = vg.Points(2)

	return p
}

// shade marks a span of the x axis, under the curves added later.
func shade(p *plot.Plot, from, until, top float64, name string) error {
	area, err := plotter.NewPolygon(plotter.XYs{{X: from}, {X: until}, {X: until, Y: top}, {X: from, Y: top}})
	if err != nil {
		return err
	}

	area.Color, area.Width = color.RGBA{R: 0xf2, G: 0xe0, B: 0xe0, A: 0xff}, 0
	p.Add(area)

	return note(p, (from+until)/2, top, name, draw.XCenter)
}

// note writes a text under the point.
func note(p *plot.Plot, x, y float64, words string, align text.XAlignment) error {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{words}})
	if err != nil {
		return err
	}

	labels.TextStyle[0].Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(10)}
	labels.TextStyle[0].Color = color.Gray{Y: 0x44}
	labels.TextStyle[0].XAlign = align
	labels.TextStyle[0].YAlign = draw.YTop
	labels.Offset = vg.Point{Y: -vg.Points(3)}
	p.Add(labels)

	return nil
}

// rule draws a thin line from point to point.
func rule(p *plot.Plot, from, to plotter.XY) error {
	thin, err := plotter.NewLine(plotter.XYs{from, to})
	if err != nil {
		return err
	}

	thin.Color, thin.Width = color.Gray{Y: 0x44}, vg.Points(0.8)
	thin.Dashes = []vg.Length{vg.Points(2), vg.Points(2)}
	p.Add(thin)

	return nil
}

// chart draws what was simulated.
func chart(f findings) ([]*plot.Plot, error) {
	goodput, err := overTime(f, "What clients get: answers in time, each second", 100, 500,
		func(s second) float64 { return float64(s.goodput) })
	if err != nil {
		return nil, err
	}

	if err := when(f, goodput); err != nil {
		return nil, err
	}

	attempts, err := overTime(f, "What the server is asked: attempts, each second", 500, 2000,
		func(s second) float64 { return float64(s.attempts) })
	if err != nil {
		return nil, err
	}

	loads, err := byFailureRate(f)
	if err != nil {
		return nil, err
	}

	return []*plot.Plot{goodput, attempts, loads}, nil
}

func overTime(f findings, title string, step, top float64, of func(second) float64) (*plot.Plot, error) {
	var lines []line

	for _, o := range f.outages {
		if !o.charted {
			continue
		}

		points := make(plotter.XYs, len(o.seconds))
		for i, s := range o.seconds {
			points[i] = plotter.XY{X: float64(i), Y: of(s)}
		}

		lines = append(lines, line{name: o.plan.name, points: points, look: looks(o.plan.name)})
	}

	p := panel(title, "seconds")
	p.Legend.XOffs = chartWidth * 0.61

	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, f.scenario.lasts.Seconds(), 0, top
	p.X.Tick.Marker, p.Y.Tick.Marker = every(10, p.X.Max), every(step, top)

	if err := shade(p, f.scenario.from.Seconds(), f.scenario.until.Seconds(), top, "outage"); err != nil {
		return nil, err
	}

	// What is drawn later lies on top; the thin dashed line of no retries must not vanish under the bucket's.
	slices.Reverse(lines)

	if err := curves(p, lines); err != nil {
		return nil, err
	}

	if err := rule(p, plotter.XY{Y: f.scenario.capacity}, plotter.XY{X: p.X.Max, Y: f.scenario.capacity}); err != nil {
		return nil, err
	}

	capacity := fmt.Sprintf(" capacity %.0f", f.scenario.capacity)

	return p, note(p, 0, f.scenario.capacity+top/10, capacity, draw.XLeft)
}

// when writes above the recovery of each budget how long it took.
func when(f findings, p *plot.Plot) error {
	for i, o := range f.outages {
		after, ok := recovery(f.scenario, o.seconds)
		if !o.charted || !ok || o.plan.budget == nil {
			continue
		}

		words := fmt.Sprintf("%s: back after %.0f s", strings.TrimPrefix(o.plan.name, "full jitter and "), after.Seconds())
		if err := note(p, (f.scenario.until + after).Seconds(), 400-34*float64(i-3), words, draw.XLeft); err != nil {
			return err
		}
	}

	return note(p, f.scenario.lasts.Seconds()*0.55, 45, "three naive retries and jitter alone: not back at all", draw.XLeft)
}

// every puts a labelled tick at each multiple of step up to last.
func every(step, last float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for v := 0.0; v <= last; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}

	return ticks
}

func curves(p *plot.Plot, lines []line) error {
	for _, l := range lines {
		curve, err := plotter.NewLine(l.points)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}

		curve.Color, curve.Width, curve.Dashes = l.look.color, l.look.width, l.look.dashes
		p.Add(curve)
		p.Legend.Add(l.name, curve)
	}

	return nil
}

func byFailureRate(f findings) (*plot.Plot, error) {
	var lines []line

	for _, l := range f.loads {
		if !l.charted {
			continue
		}

		points := make(plotter.XYs, len(l.rows))
		for i, row := range l.rows {
			points[i] = plotter.XY{X: 100 * row.failures, Y: row.load.factor()}
		}

		lines = append(lines, line{name: l.strategy.name, points: points, look: looks(l.strategy.name)})
	}

	p := panel("What a call costs the server: attempts for each call", "attempts that fail, %")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, 0.9, 4.1
	p.X.Tick.Marker, p.Y.Tick.Marker = every(10, 100), every(1, 4)

	if err := curves(p, lines); err != nil {
		return nil, err
	}

	for _, even := range f.evens {
		at := 100 * even.rate
		if err := rule(p, plotter.XY{X: at, Y: p.Y.Min}, plotter.XY{X: at, Y: 2}); err != nil {
			return nil, err
		}

		if err := note(p, at, 2.12, " "+strconv.FormatFloat(at, 'f', 1, 64)+" %", draw.XLeft); err != nil {
			return nil, err
		}
	}

	return p, nil
}

// render draws the panels one below the other.
func render(plots []*plot.Plot, canvas vg.CanvasWriterTo, out io.Writer) error {
	page := draw.New(canvas)
	tiles := draw.Tiles{
		Rows: len(plots), Cols: 1,
		PadTop: vg.Points(10), PadBottom: vg.Points(10), PadLeft: vg.Points(10), PadRight: vg.Points(16), PadY: vg.Points(18),
	}

	column := make([][]*plot.Plot, len(plots))
	for i, p := range plots {
		column[i] = []*plot.Plot{p}
	}

	for i, row := range plot.Align(column, tiles, page) {
		plots[i].Draw(row[0])
	}

	if _, err := canvas.WriteTo(out); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}

	return nil
}
