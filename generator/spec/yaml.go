package spec

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func duplicateKey(at Position, key string) Diagnostic {
	return Diagnostic{Pos: at, Code: "duplicate-key", Message: fmt.Sprintf("%q stands here a second time; the later one is used", key)}
}

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// yamlReader turns the nodes of the YAML library into ours. Aliases are copied, with a bound on how much they may blow up.
type yamlReader struct {
	file    *File
	copied  int // nodes made for aliases
	aliases int // aliases around the current node
	open    map[*yaml.Node]bool
	diags   []Diagnostic
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func parseYAML(file *File, src []byte) (*Node, []Diagnostic, *Error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		pos := Position{File: file.Name}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			pos.Line, _ = strconv.Atoi(m[1])
		}
		return nil, nil, Errorf(pos, "not-yaml", "this is neither JSON nor YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	r := &yamlReader{file: file, open: map[*yaml.Node]bool{}}
	root, err := r.node(&doc, 0)
	if err != nil {
		return nil, nil, err
	}
	return root, r.diags, nil
}

func (r *yamlReader) node(y *yaml.Node, depth int) (*Node, *Error) {
	pos := Position{File: r.file.Name, Line: y.Line, Col: y.Column}
	if depth > maxDepth {
		return nil, Errorf(pos, "too-deep", "the document is nested more than %d levels deep", maxDepth)
	}
	if r.aliases > 0 {
		if r.copied++; r.copied > maxCopies {
			return nil, Errorf(pos, "too-large", "the aliases of this document stand for more than %d values", maxCopies)
		}
	}
	n := &Node{file: r.file, line: at(y.Line), col: at(y.Column)}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return n, nil
		}
		return r.node(y.Content[0], depth)
	case yaml.AliasNode:
		if r.open[y.Alias] {
			return nil, Errorf(pos, "alias-cycle", "the alias *%s stands inside its own anchor", y.Value)
		}
		r.aliases++
		defer func() { r.aliases-- }()
		return r.node(y.Alias, depth+1)
	case yaml.SequenceNode:
		r.open[y] = true
		defer delete(r.open, y)
		n.Kind = Array
		n.Items = make([]*Node, 0, len(y.Content))
		for _, c := range y.Content {
			item, err := r.node(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
	case yaml.MappingNode:
		r.open[y] = true
		defer delete(r.open, y)
		return n, r.mapping(n, y, depth)
	case yaml.ScalarNode:
		r.scalar(n, y)
	}
	return n, nil
}

func (r *yamlReader) scalar(n *Node, y *yaml.Node) {
	n.Kind, n.Value = String, toValid(y.Value)
	switch y.ShortTag() {
	case "!!null":
		n.Kind, n.Value = Null, ""
	case "!!bool":
		n.Kind, n.Value = Bool, strings.ToLower(y.Value)
	case "!!int", "!!float":
		n.Kind = Number
	}
}

func (r *yamlReader) mapping(n *Node, y *yaml.Node, depth int) *Error {
	n.Kind = Object
	n.Members = make([]Member, 0, len(y.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		pos := Position{File: r.file.Name, Line: key.Line, Col: key.Column}
		if key.Kind != yaml.ScalarNode {
			return Errorf(pos, "not-a-name", "a member name has to be a plain value, not a list or a mapping")
		}
		child, err := r.node(value, depth+1)
		if err != nil {
			return err
		}
		if child.Kind == Null && value.Line == 0 {
			child.line, child.col = n.line, n.col
		}
		if n.Has(key.Value) {
			r.diags = append(r.diags, duplicateKey(pos, key.Value))
		}
		before := len(n.Members)
		n.Set(toValid(key.Value), child)
		if len(n.Members) > before {
			n.placeKey(key.Line, key.Column)
		}
	}
	return r.merge(n, merges, depth)
}

// merge fills in the members of << that the mapping does not have itself.
func (r *yamlReader) merge(n *Node, merges []*yaml.Node, depth int) *Error {
	for _, m := range merges {
		from, err := r.node(m, depth+1)
		if err != nil {
			return err
		}
		sources := []*Node{from}
		if from.Kind == Array {
			sources = from.Items
		}
		for _, source := range sources {
			for _, member := range source.Members {
				if !n.Has(member.Key) {
					n.Set(member.Key, member.Value)
				}
			}
		}
	}
	return nil
}
