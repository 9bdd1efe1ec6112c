package plan

import "strings"

// breakRecursion makes a pointer of every member by which a struct would contain itself: Go has no type of endless size.
func (b *builder) breakRecursion() {
	byName := make(map[string]*Type, len(b.plan.Types))
	for _, t := range b.plan.Types {
		byName[t.Name] = t
	}
	f := components{types: byName, index: map[*Type]int{}, low: map[*Type]int{}, on: map[*Type]bool{}, of: map[*Type]int{}}
	for _, t := range b.plan.Types {
		if f.index[t] == 0 {
			f.visit(t)
		}
	}
	for _, t := range b.plan.Types {
		for _, field := range t.Fields {
			other := f.held(field.Type)
			if other == nil || f.of[other] != f.of[t] {
				continue
			}
			if inner, ok := strings.CutPrefix(field.Type, "wire.Nullable["); ok {
				field.Type = "wire.Nullable[*" + inner
			} else {
				field.Type = "*" + field.Type
			}
		}
	}
}

// components finds the strongly connected components of the types that hold each other by value (Tarjan).
type components struct {
	types   map[string]*Type
	counter int
	index   map[*Type]int
	low     map[*Type]int
	on      map[*Type]bool
	stack   []*Type
	of      map[*Type]int // component of a type; types alone in theirs have one too
	number  int
}

// held gives the struct that a member of that type holds by value.
func (f *components) held(expr string) *Type {
	if inner, ok := strings.CutPrefix(expr, "wire.Nullable["); ok {
		expr = strings.TrimSuffix(inner, "]")
	}
	t := f.types[expr]
	for i := 0; t != nil && t.Kind == Alias && i < 100; i++ {
		t = f.types[t.Base]
	}
	if t == nil || t.Kind != Struct {
		return nil
	}
	return t
}

func (f *components) visit(t *Type) {
	f.counter++
	f.index[t], f.low[t] = f.counter, f.counter
	f.stack = append(f.stack, t)
	f.on[t] = true
	for _, field := range t.Fields {
		other := f.held(field.Type)
		if other == nil {
			continue
		}
		if f.index[other] == 0 {
			f.visit(other)
			f.low[t] = min(f.low[t], f.low[other])
		} else if f.on[other] {
			f.low[t] = min(f.low[t], f.index[other])
		}
	}
	if f.low[t] != f.index[t] {
		return
	}
	f.number++
	for {
		last := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		f.on[last] = false
		f.of[last] = f.number
		if last == t {
			return
		}
	}
}
