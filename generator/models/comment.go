package models

import "strings"

// commentWidth bounds a line of a comment with its slashes, which take three columns.
const commentWidth = 117

// Comment makes a Go comment of text, wrapped, each line behind indent and ending in a line break; a Deprecated
// paragraph comes last. Lines that are indented (code, lists) keep their breaks.
func Comment(text, deprecated, indent string) string {
	text = strings.TrimLeft(strings.TrimRight(text, " \t\r\n"), "\r\n")
	if deprecated != "" {
		if text != "" {
			text += "\n\n"
		}
		text += "Deprecated: " + strings.TrimSpace(deprecated)
	}
	if text == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		for _, wrapped := range wrap(clean(line), commentWidth-len(indent)) {
			b.WriteString(indent + strings.TrimRight("// "+wrapped, " \t") + "\n")
		}
	}
	return b.String()
}

// clean takes out what a Go comment cannot hold.
func clean(line string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r < ' ', r == '\u2028', r == '\u2029', r == '\ufeff', r == 0x7f:
			return -1
		}
		return r
	}, line), " \t\r")
}

// wrap breaks a line of prose at spaces.
func wrap(line string, width int) []string {
	if len(line) <= width || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return []string{line}
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		if current != "" && len(current)+1+len(word) > width {
			lines = append(lines, current)
			current = ""
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	return append(lines, current)
}
