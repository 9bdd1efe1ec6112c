package plan

import (
	"html"
	"regexp"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

var (
	htmlBreak  = regexp.MustCompile(`(?i)<\s*(br|/p|/li|/tr|/h[1-6]|/div|/ul|/ol)\s*/?>`)
	htmlItem   = regexp.MustCompile(`(?i)<li[^>]*>`)
	htmlLink   = regexp.MustCompile(`(?is)<a\s[^>]*href\s*=\s*["']([^"']*)["'][^>]*>(.*?)</a>`)
	htmlTag    = regexp.MustCompile(`(?i)</?(p|br|b|i|em|strong|code|pre|ul|ol|li|a|div|span|table|thead|tbody|tr|td|th|h[1-6]|img|sup|sub|details|summary|hr|u|font|section|blockquote|nobr|small|aside|kbd|dl|dt|dd)(\s[^>]*)?/?>`)
	mdImage    = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink     = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)[^)]*\)`)
	mdStrong   = regexp.MustCompile(`(\*\*|__)([^*_\n]+)(\*\*|__)`)
	mdHeading  = regexp.MustCompile(`(?m)^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	mdFence    = regexp.MustCompile("(?m)^\\s*(```|~~~).*$")
	mdQuote    = regexp.MustCompile(`(?m)^\s*>\s?`)
	mdItem     = regexp.MustCompile(`^\s*([-*+•]|\d+[.)])\s+(.*)$`)
	manyBreaks = regexp.MustCompile(`\n{3,}`)
)

// docText makes plain text of the Markdown and HTML of descriptions: what a reader of Go documentation can read. Links
// keep their address. The result has no markup that would change what a Go comment means: no headings, no directives.
func docText(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return ""
	}
	if strings.ContainsRune(s, '<') {
		s = htmlLink.ReplaceAllString(s, "$2 ($1)")
		s = htmlItem.ReplaceAllString(s, "\n- ")
		s = htmlBreak.ReplaceAllString(s, "\n")
		s = htmlTag.ReplaceAllString(s, "")
	}
	if strings.ContainsRune(s, '&') {
		s = html.UnescapeString(s)
	}
	s = mdImage.ReplaceAllString(s, "$1")
	s = mdLink.ReplaceAllStringFunc(s, link)
	s = mdStrong.ReplaceAllString(s, "$2")
	s = mdHeading.ReplaceAllString(s, "\n$1:\n")
	s = mdFence.ReplaceAllString(s, "")
	s = mdQuote.ReplaceAllString(s, "")
	return strings.TrimSpace(manyBreaks.ReplaceAllString(layout(s), "\n\n"))
}

func link(match string) string {
	parts := mdLink.FindStringSubmatch(match)
	text, to := parts[1], parts[2]
	if text == to || strings.HasPrefix(to, "#") {
		return text
	}
	return text + " (" + to + ")"
}

// layout joins the lines of a paragraph and puts list items on lines of their own.
func layout(s string) string {
	var out []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			out = append(out, paragraph)
			paragraph = ""
		}
	}
	for line := range strings.SplitSeq(s, "\n") {
		trimmed := strings.TrimSpace(line)
		switch item := mdItem.FindStringSubmatch(line); {
		case trimmed == "":
			flush()
			out = append(out, "")
		case item != nil:
			if paragraph != "" && !strings.HasPrefix(paragraph, listMark) {
				flush()
				out = append(out, "")
			}
			flush()
			paragraph = listMark + safeLine(item[2])
		case strings.HasPrefix(trimmed, "|"):
			flush()
			if strings.Trim(trimmed, "|-: ") != "" {
				out = append(out, listMark+strings.Join(cells(trimmed), ": "))
			}
		case paragraph == "":
			paragraph = safeLine(trimmed)
		default:
			paragraph += " " + trimmed
		}
	}
	flush()
	return strings.Join(out, "\n")
}

func cells(row string) []string {
	var kept []string
	for cell := range strings.SplitSeq(strings.Trim(row, "| "), "|") {
		if c := strings.TrimSpace(cell); c != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

// safeLine keeps a line from being read as a directive, a heading or a build tag.
func safeLine(line string) string {
	for _, prefix := range []string{"go:", "line ", "export ", "extern ", "nolint", "+build", "#"} {
		if strings.HasPrefix(line, prefix) {
			return "- " + line
		}
	}
	return line
}

// typeDoc is the comment of a named type.
func typeDoc(name string, n *spec.Node) string {
	text := docText(describe(n))
	if text == "" {
		return name + " is " + typeWord(n) + "."
	}
	return begin(name, text) + limits(n)
}

func describe(n *spec.Node) string {
	if d := n.Str("description"); d != "" {
		return d
	}
	if t := n.Deref(); t != n {
		if d := t.Str("description"); d != "" {
			return d
		}
	}
	if title := n.Str("title"); strings.Contains(title, " ") {
		return title
	}
	return ""
}

// typeWords say what a type without a description is.
var typeWords = map[shape]string{
	anyShape: "a value of the API", structShape: "an object of the API", mapShape: "an object of the API",
	sliceShape: "a list", enumShape: "one of a set of values", unionShape: "one of several types",
}

func typeWord(n *spec.Node) string {
	if word := typeWords[shapeOf(n.Deref())]; word != "" {
		return word
	}
	return typeWords[anyShape]
}

// begin makes a comment begin with the name that it documents, as Go's tools expect.
func begin(name, text string) string {
	if strings.HasPrefix(text, name+" ") || strings.HasPrefix(text, name+",") {
		return text
	}
	if strings.HasPrefix(text, listMark) {
		return name + " is described by this list:\n\n" + text
	}
	for _, article := range []string{"A ", "An ", "The ", "One ", "All "} {
		if strings.HasPrefix(text, article) {
			return name + " is " + strings.ToLower(text[:1]) + text[1:]
		}
	}
	return name + ": " + lowerFirst(text)
}

// fieldDoc is the comment of a member: the words at the place, else those of an inline schema, and the limits.
func fieldDoc(n *spec.Node) string {
	text := n.Str("description")
	if text == "" && n.Ref == "" {
		text = n.Str("title")
	}
	text = sentence(inline(docText(text)))
	return strings.TrimSpace(text + limits(n))
}

// A list of a member's comment that is shorter than this, in bytes, is said in one sentence: comments of members are read
// as they stand, and a line for each limit hides the struct.
const inlineList = 240

const listMark = "  - "

// inline writes short lists within a text as sentences.
func inline(text string) string {
	if !strings.Contains(text, listMark) {
		return text
	}
	var out []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], listMark) {
			end++
		}
		if end == i {
			out = append(out, lines[i])
			i++
			continue
		}
		out = addList(out, lines[i:end])
		i = end
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func addList(out, list []string) []string {
	items := make([]string, len(list))
	size := 0
	for i, line := range list {
		items[i] = strings.TrimRight(strings.TrimPrefix(line, listMark), ".;,")
		size += len(items[i])
	}
	if size > inlineList {
		return append(out, list...)
	}
	said := strings.Join(items, "; ") + "."
	n := len(out)
	if n >= 2 && out[n-1] == "" && out[n-2] != "" && !strings.HasPrefix(out[n-2], listMark) {
		return append(out[:n-2], out[n-2]+" "+said)
	}
	return append(out, said)
}

func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".:!?)`") || strings.Contains(text, "\n") {
		return text
	}
	return text + "."
}

// limits says in words what a value has to keep to.
func limits(n *spec.Node) string {
	t := n.Deref()
	if t == nil {
		return ""
	}
	var said []string
	if one := single(t); one != nil && shapeOf(t) == enumShape && len(one.Value) <= 60 && !strings.ContainsAny(one.Value, "\n\r") && !strings.Contains(n.Str("description"), one.Value) {
		said = append(said, "The only value is "+one.Value+".")
	}
	said = append(said, span(t, "minLength", "maxLength", "characters")...)
	said = append(said, span(t, "minItems", "maxItems", "entries")...)
	said = append(said, span(t, "minProperties", "maxProperties", "members")...)
	said = append(said, bounds(t)...)
	if p := t.Str("pattern"); p != "" && len(p) <= 60 && !strings.ContainsAny(p, "`\n") {
		said = append(said, "Matches "+p+".")
	}
	for _, from := range []*spec.Node{n, t} {
		if d := from.Get("default"); d != nil && d.Text() != "" && len(d.Text()) <= 60 && !strings.ContainsAny(d.Text(), "\n\r") {
			said = append(said, "Default "+d.Text()+".")
			break
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " " + strings.Join(said, " ")
}

func span(n *spec.Node, low, high, unit string) []string {
	from, hasFrom := n.Get(low).Int()
	to, hasTo := n.Get(high).Int()
	if from == 0 {
		hasFrom = false
	}
	switch {
	case hasFrom && hasTo && from == to:
		return []string{"Exactly " + itoa(from) + " " + unit + "."}
	case hasFrom && hasTo:
		return []string{itoa(from) + " to " + itoa(to) + " " + unit + "."}
	case hasFrom:
		return []string{"At least " + itoa(from) + " " + unit + "."}
	case hasTo:
		return []string{"At most " + itoa(to) + " " + unit + "."}
	}
	return nil
}

func bounds(n *spec.Node) []string {
	least, most := n.Str("minimum"), n.Str("maximum")
	above, below := "", ""
	switch e := n.Get("exclusiveMinimum"); {
	case e.IsTrue():
		above, least = least, ""
	case e != nil && e.Kind == spec.Number:
		above = e.Value
	}
	switch e := n.Get("exclusiveMaximum"); {
	case e.IsTrue():
		below, most = most, ""
	case e != nil && e.Kind == spec.Number:
		below = e.Value
	}
	var said []string
	switch {
	case least != "" && most != "":
		said = append(said, "From "+least+" to "+most+".")
	case least != "":
		said = append(said, "At least "+least+".")
	case most != "":
		said = append(said, "At most "+most+".")
	}
	if above != "" {
		said = append(said, "Greater than "+above+".")
	}
	if below != "" {
		said = append(said, "Less than "+below+".")
	}
	return said
}

// deprecation gives the text of the Deprecated paragraph.
func deprecation(n *spec.Node) string {
	if !n.Flag("deprecated") {
		return ""
	}
	for _, key := range []string{"x-deprecated-reason", "x-deprecation-reason", "x-deprecatedMessage", "x-speakeasy-deprecation-message"} {
		if text := docText(n.Str(key)); text != "" {
			return sentence(text)
		}
	}
	return "the API's document marks it as deprecated."
}
