package plan

import "hash/fnv"

// sharedLines is the number of lines of types from which they are split over files by the services that use them.
const sharedLines = 4000

// files says in which file each type is printed. Small packages have one; in large ones the types that one service
// alone uses stand in its file, so that a new operation touches the files of its own service, and shared types are
// split by their first letter.
func (b *builder) files() {
	total := 0
	for _, t := range b.plan.Types {
		total += weight(t)
	}
	if total <= sharedLines {
		for _, t := range b.plan.Types {
			t.File = "types"
		}
		return
	}
	users := map[*Type]string{}
	for s := range b.plan.All() {
		b.claim(s, users)
	}
	for _, t := range b.plan.Types {
		switch owner := users[t]; owner {
		case "", shared:
			t.File = "types_" + letter(t.Name)
		default:
			t.File = owner + "_types"
		}
	}
	b.buckets()
}

// fileLines is the number of lines from which the types of one file are dealt out to several.
const fileLines = 3000

// buckets deals the types of a file that would be too long out to several, by a hash of their names: a new type then
// touches one of them, and not all that come after it in the alphabet.
func (b *builder) buckets() {
	weights := map[string]int{}
	for _, t := range b.plan.Types {
		weights[t.File] += weight(t)
	}
	for _, t := range b.plan.Types {
		n := uint32(1)
		for weights[t.File] > int(n)*fileLines {
			n *= 2
		}
		if n > 1 {
			h := fnv.New32a()
			_, _ = h.Write([]byte(t.Name))
			t.File += "_" + "abcdefghijklmnopqrstuvwxyz"[h.Sum32()%min(n, 26):][:1]
		}
	}
}

const shared = "*"

// claim notes the types that a service uses; those that another one uses too become shared, with all that they hold.
func (b *builder) claim(s *Service, users map[*Type]string) {
	var reach func(string)
	reach = func(expr string) {
		for name := range typeNames(expr) {
			d := b.byName[name]
			if d == nil {
				continue
			}
			owner := users[d.typ]
			if owner == shared || owner == s.File {
				continue
			}
			users[d.typ] = s.File
			if owner != "" {
				users[d.typ] = shared
			}
			partTypes(d.typ, reach)
		}
	}
	for _, m := range s.Methods {
		methodTypes(m, reach)
	}
}

// weight guesses the lines that a type takes.
func weight(t *Type) int {
	lines := 8 + 2*len(t.Fields) + len(t.Values) + 12*len(t.Variants) + len(t.Doc)/commentWidth
	for _, f := range t.Fields {
		lines += len(f.Doc) / commentWidth
	}
	return lines
}

const commentWidth = 100

func letter(name string) string {
	c := name[0] | 0x20
	if c < 'a' || c > 'z' {
		return "other"
	}
	return string(c)
}
