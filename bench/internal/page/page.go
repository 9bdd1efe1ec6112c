// Package page writes what a command measured into a document, between two markers that the document has for it, so
// that no number in docs/ is typed by hand.
package page

import (
	"fmt"
	"os"
	"strings"
)

// Fill replaces what stands between <!-- name --> and <!-- /name --> in the file at path, each on a line of its own.
func Fill(path, name, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	filled, err := fill(string(page), name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}

	return os.WriteFile(path, []byte(filled), 0o644)
}

func fill(page, name, text string) (string, error) {
	open, shut := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"

	head, rest, ok := strings.Cut(page, open)
	if !ok {
		return "", fmt.Errorf("no line %q", strings.TrimSpace(open))
	}

	_, tail, ok := strings.Cut(rest, shut)
	if !ok {
		return "", fmt.Errorf("no line %q", strings.TrimSpace(shut))
	}

	return head + open + "\n" + strings.TrimSpace(text) + "\n\n" + shut + tail, nil
}

// Table lays rows out as a Markdown table. The first column is text, the others are aligned to the right.
func Table(head []string, rows [][]string) string {
	var b strings.Builder

	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }

	line(head)

	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---:"
	}

	rule[0] = "---"

	line(rule)

	for _, row := range rows {
		line(row)
	}

	return b.String()
}
