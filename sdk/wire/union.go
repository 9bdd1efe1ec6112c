package wire

import (
	"bytes"
	"slices"
)

// Case is one alternative of a union, as far as it can be told from the JSON text.
type Case struct {
	Kind     string              // object, array, string, integer, number, boolean or null; "" is any
	Tag      string              // objects: name of the discriminating member; "" is none
	Tags     []string            // values of that member that mean this case
	Required []string            // objects: members that must be there
	Known    []string            // objects: members that the case has a field for
	Consts   map[string][]string // objects: JSON texts that a member may have; it must be one of them if it is there
}

// Match picks the case of a union that a JSON text is, and reports whether there is one; the index is -1
// when there is none.
//
// When some case names a discriminating member and the text has that member, the value decides alone: a value that no
// case lists is a case that the document does not know. Otherwise the shape decides: the kind must be right, the
// required members there, and the constants as they should be. Of those that fit, the one with the most constants
// wins, then the one that leaves the fewest members unknown, then the one with the most required members, then the
// first. A number written without fraction and exponent prefers integer over number.
func Match(data []byte, cases []Case) (int, bool) {
	n, err := parseShape(data)
	if err != nil {
		return -1, false
	}
	if i, decided := n.byTag(cases); decided {
		return i, i >= 0
	}
	best := -1
	var bestScore [4]int
	for i := range cases {
		score, ok := n.score(&cases[i])
		if ok && (best < 0 || slices.Compare(score[:], bestScore[:]) > 0) {
			best, bestScore = i, score
		}
	}
	return best, best >= 0
}

// shape is the outermost level of a JSON text.
type shape struct {
	kind    string
	members map[string][]byte
}

func parseShape(data []byte) (shape, error) {
	r := jsonReader{data: data}
	if err := r.space(); err != nil {
		return shape{}, err
	}
	s := shape{kind: r.kind()}
	if s.kind != kindObject {
		if s.kind == kindNumber {
			if _, integer, err := r.number(); err == nil && integer {
				s.kind = "integer"
			}
		}
		return s, nil
	}
	s.members = map[string][]byte{}
	more, err := r.open('}')
	for more && err == nil {
		name, form, err := r.member()
		if err != nil {
			return s, err
		}
		start := r.pos
		if err := r.skip(); err != nil {
			return s, err
		}
		s.members[string(unquote(name, form))] = data[start:r.pos]
		if more, err = r.more('}'); err != nil {
			return s, err
		}
	}
	return s, err
}

// byTag decides by the discriminating member; -1 is a value that nobody lists.
func (s shape) byTag(cases []Case) (index int, decided bool) {
	for i := range cases {
		c := &cases[i]
		text, ok := s.members[c.Tag]
		if c.Tag == "" || !ok {
			continue
		}
		decided = true
		tag := scalarText(text)
		if slices.Contains(c.Tags, tag) {
			return i, true
		}
	}
	return -1, decided
}

// scalarText gives the text of a string without its quotes, of others as it is.
func scalarText(text []byte) string {
	r := jsonReader{data: text}
	if n, err := r.node(); err == nil && n.kind == scalar {
		return n.text
	}
	return string(text)
}

func (s shape) score(c *Case) (score [4]int, ok bool) {
	switch {
	case c.Kind == s.kind:
		score[3] = 1
	case c.Kind == "", c.Kind == kindNumber && s.kind == "integer":
	default:
		return score, false
	}
	if s.kind != kindObject {
		return score, true
	}
	for _, name := range c.Required {
		if _, there := s.members[name]; !there {
			return score, false
		}
	}
	for name, allowed := range c.Consts {
		text, there := s.members[name]
		if !there {
			continue
		}
		if !slices.ContainsFunc(allowed, func(a string) bool { return sameText(text, a) }) {
			return score, false
		}
		score[0]++
	}
	for name := range s.members {
		if !slices.Contains(c.Known, name) {
			score[1]--
		}
	}
	score[2] = len(c.Required)
	return score, true
}

// sameText compares two JSON scalars; strings are equal however they are escaped.
func sameText(text []byte, want string) bool {
	if bytes.Equal(text, []byte(want)) {
		return true
	}
	return len(text) > 0 && text[0] == '"' && want != "" && want[0] == '"' && scalarText(text) == scalarText([]byte(want))
}
