package main

import (
	"fmt"
	"os"
	"strings"
)

// table is a Markdown table.
func table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(header)
	marks := make([]string, len(header))
	for i := range marks {
		marks[i] = "---:"
	}
	marks[0] = "---"
	line(marks)
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// bar is a limit and what was measured.
type bar struct {
	name, limit, measured string
	pass                  bool
}

func bars(all ...bar) string {
	rows := make([][]string, len(all))
	for i, b := range all {
		rows[i] = []string{b.name, b.limit, b.measured, map[bool]string{true: "pass", false: "**missed**"}[b.pass]}
	}
	return "\n" + table([]string{"bar", "limit", "measured", "result"}, rows)
}

// fill writes the text between the two markers of its name in a page.
func fill(path, name, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	opening, closing := "<!-- "+name+" -->", "<!-- /"+name+" -->"
	before, rest, found := strings.Cut(string(page), opening)
	_, after, closed := strings.Cut(rest, closing)
	if !found || !closed {
		return fmt.Errorf("%s has no markers %s and %s", path, opening, closing)
	}
	return os.WriteFile(path, []byte(before+opening+"\n\n"+strings.TrimSpace(text)+"\n\n"+closing+after), 0o644)
}
