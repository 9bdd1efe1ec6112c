package plan

import "iter"

// All gives every service in the order of the document, a parent before its children.
func (p *Plan) All() iter.Seq[*Service] {
	return func(yield func(*Service) bool) { walk(p.Services, yield) }
}

func walk(list []*Service, yield func(*Service) bool) bool {
	for _, s := range list {
		if !yield(s) || !walk(s.Children, yield) {
			return false
		}
	}
	return true
}

// Methods gives every method, service by service.
func (p *Plan) Methods() iter.Seq[*Method] {
	return func(yield func(*Method) bool) {
		for s := range p.All() {
			for _, m := range s.Methods {
				if !yield(m) {
					return
				}
			}
		}
	}
}
