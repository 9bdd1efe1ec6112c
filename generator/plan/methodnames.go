package plan

import (
	"slices"
	"strings"
)

// methodNames names the methods of a service: the operation's name without the words that the service's name says
// already. Of two operations that would have one name the shorter id has it, and the other keeps its full name.
func (b *builder) methodNames(s *Service, tag string, ops []*operation, taken *scope) {
	order := slices.Clone(ops)
	slices.SortFunc(order, func(x, y *operation) int {
		if d := len(x.base) - len(y.base); d != 0 {
			return d
		}
		return strings.Compare(x.ID, y.ID)
	})
	for _, o := range order {
		name := b.override(o.Pointer)
		full := o.base
		candidates := []string{name, withoutNoun(full, tag), full}
		if name == "" {
			candidates = candidates[1:]
		}
		m := &Method{ID: o.ID, Pos: o.Node.Pos()}
		m.GoName = takeMethod(taken, candidates)
		m.OpVar = "op" + strings.TrimSuffix(s.TypeName, "Service") + m.GoName
		o.method = m
		b.note(o.Pointer, "method", strings.TrimSuffix(s.TypeName, "Service")+"."+m.GoName)
	}
	slices.SortFunc(ops, func(x, y *operation) int {
		if d := strings.Compare(x.Path, y.Path); d != 0 {
			return d
		}
		return 0
	})
	for _, o := range ops {
		s.Methods = append(s.Methods, o.method)
	}
}

// suffixes are what printed code adds to a method's name, for lists and for jobs; they also stand alone, for List and Get.
var suffixes = []string{"All", "Pages", "Page", "Wait"}

// takeMethod also keeps free the names of the iterators and of the waiting method that printed code derives.
func takeMethod(s *scope, candidates []string) string {
	fits := candidates[:0:0]
	for _, c := range candidates {
		if !slices.Contains(suffixes, c) && !slices.ContainsFunc(suffixes, func(suffix string) bool { return !s.free(c + suffix) }) && !derived(s, c) {
			fits = append(fits, c)
		}
	}
	if len(fits) == 0 {
		fits = []string{candidates[len(candidates)-1] + "Call"}
	}
	return s.take(fits...)
}

// derived reports whether a name is one that the iterators of another method have.
func derived(s *scope, name string) bool {
	for _, suffix := range suffixes {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" && !s.free(base) {
			return true
		}
	}
	return false
}

// generic are words of tags and ids that do not tell what a service is about.
var generic = map[string]bool{
	"api": true, "apis": true, "service": true, "services": true, "controller": true, "resource": true, "endpoint": true,
	"endpoints": true, "operations": true, "management": true, "v1": true, "v2": true, "v3": true,
}

// withoutNoun takes the words of the tag out of an operation's name: CreateOrder of Orders is Create, OrdersCreate too.
func withoutNoun(name, tag string) string {
	list := words(name)
	noun := nounOf(tag)
	if len(noun) == 0 || len(list) < 2 {
		return name
	}
	for at := 0; at+len(noun) <= len(list); at++ {
		if !sameWords(list[at:at+len(noun)], noun) {
			continue
		}
		rest := append(slices.Clone(list[:at]), list[at+len(noun):]...)
		for at == 0 && len(rest) > 1 && generic[strings.ToLower(rest[0])] {
			rest = rest[1:]
		}
		if len(rest) == 0 || isFiller(rest) {
			return name
		}
		short := pascal(strings.Join(rest, " "))
		if short == "" || beginsWithDigit(short) {
			return name
		}
		return short
	}
	return name
}

// isFiller tells remainders that are no name of their own, such as By or ID.
func isFiller(rest []string) bool {
	if len(rest) > 1 {
		return false
	}
	switch strings.ToLower(rest[0]) {
	case "by", "id", "of", "for", "in", "the", "a", "v1", "v2", "v3":
		return true
	}
	return false
}

func nounOf(tag string) []string {
	if last := afterLast(tag, "/"); len(words(last)) > 0 {
		tag = last
	}
	list := words(tag)
	for len(list) > 1 && generic[strings.ToLower(list[len(list)-1])] {
		list = list[:len(list)-1]
	}
	return list
}

func sameWords(a, b []string) bool {
	for i := range a {
		if !strings.EqualFold(a[i], b[i]) && !strings.EqualFold(singular(a[i]), singular(b[i])) {
			return false
		}
	}
	return true
}
