package plan

// example makes a sample call of an operation that has one in the document.
func (b *builder) example(*operation) {}
