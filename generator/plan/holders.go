package plan

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// holder is a member whose schema was written in place and has a type of its own.
type holder struct {
	member string // Order.Status
	list   bool   // the type is that of the list's entries
	typ    *Type
	own    bool // the schema has words that the member's comment does not say
}

// hold notes the member that an inline schema belongs to.
func (b *builder) hold(d *named, f *Field, n *spec.Node, g goType) {
	held := holder{member: d.typ.Name + "." + f.GoName}
	inline := g.named
	if inline == nil && n.Ref == "" && g.shape == sliceShape {
		items := n.Get("items")
		held.list, held.own = true, describe(items) != ""
		if items != nil && items.Ref == "" {
			inline = b.named[items]
		}
	}
	if inline == nil || inline.component || n.Ref != "" {
		return
	}
	held.typ = inline.typ
	b.holders = append(b.holders, held)
}

// holderDocs says of the type of an inline schema whose member it is, where the member's comment has the words already
// and they are long, or where there are none.
func (b *builder) holderDocs() {
	b.heldDocs = map[*Type]bool{}
	for _, h := range b.holders {
		t := h.typ
		said := strings.HasPrefix(t.Doc, t.Name+" is ") && !strings.Contains(t.Doc, "\n") && len(t.Doc) <= oneLine
		if h.own || said && !bare(t.Doc) {
			continue
		}
		b.heldDocs[t] = true
		if h.list {
			t.Doc = t.Name + " is an entry of [" + h.member + "]."
		} else {
			t.Doc = t.Name + " is the type of [" + h.member + "]."
		}
	}
}

// oneLine is the length of a comment that takes one line, in bytes.
const oneLine = 117

// bare tells a comment that says no more than the kind of the type.
func bare(doc string) bool {
	for _, word := range typeWords {
		if strings.HasSuffix(doc, " is "+word+".") {
			return true
		}
	}
	return false
}
