package plan

import (
	"net/http"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// pagination decides how a list goes on: by our extension, by those that others read, or by the names of the members.
func (b *builder) pagination(o *operation) {
	m := o.method
	if m.Result.Kind != "one" {
		return
	}
	for _, read := range []struct {
		name string
		from func(*operation, *spec.Node) *Pagination
	}{
		{"x-pagination", b.ownPagination},
		{"x-speakeasy-pagination", b.speakeasyPagination},
		{"x-fern-pagination", b.fernPagination},
		{"x-ms-pageable", b.pageable},
	} {
		n := o.Node.Get(read.name)
		if n == nil {
			continue
		}
		if n.Kind == spec.Bool && !n.IsTrue() {
			return
		}
		p := read.from(o, n)
		if p == nil && read.name == "x-pagination" && isOurs(n) {
			b.failf(n, "x-pagination", "the members that x-pagination names are not in the operation's parameters and result")
			return
		}
		if p != nil {
			p.From = read.name
			m.Pagination = p
			return
		}
	}
	if o.Method == http.MethodGet {
		m.Pagination = b.paginationByRule(o)
	}
}

// isOurs tells our x-pagination from others of that name, which have no type of ours.
func isOurs(n *spec.Node) bool {
	switch n.Str("type") {
	case "cursor", "offset", "page", "next-url", "link-header":
		return true
	}
	return false
}

// request finds the parameter or body member that carries the place in the list.
func (b *builder) request(o *operation, p *Pagination, name, in string) bool {
	name = strings.TrimPrefix(name, "$request.")
	if in != "requestBody" && in != "body" && o.method.Params != nil {
		for _, f := range o.method.Params.Fields {
			if f.Name == name {
				p.Request, p.RequestType = f.GoName, f.Type
				return true
			}
		}
	}
	if len(o.method.Bodies) == 0 {
		return false
	}
	if s, ok := b.find(o.method.Bodies[0].Type, name); ok && len(s.path) == 1 {
		p.Request, p.RequestType, p.InBody = s.path[0], s.typ, true
		return true
	}
	return false
}

func (b *builder) limit(o *operation, p *Pagination, name string) {
	if o.method.Params == nil || name == "" {
		return
	}
	for _, f := range o.method.Params.Fields {
		if f.Name == strings.TrimPrefix(name, "$request.") {
			p.Limit, p.LimitType = f.GoName, f.Type
		}
	}
}

func (b *builder) items(o *operation, p *Pagination, path string) bool {
	s, ok := b.find(o.method.Result.Type, path)
	if !ok {
		return false
	}
	item, ok := b.listOf(s.typ)
	if !ok {
		return false
	}
	p.Items, p.ItemType = s.path, item
	p.ItemsPtr = strings.HasPrefix(item, "*")
	return true
}

func (b *builder) ownPagination(o *operation, n *spec.Node) *Pagination {
	p := &Pagination{Kind: n.Str("type")}
	items := n.Str("items")
	if !b.items(o, p, items) && (items != "" || !b.onlyList(o, p)) {
		return nil
	}
	b.limit(o, p, n.Str("limit"))
	if first, ok := n.Get("first-page").Int(); ok {
		p.FirstPage = first
	} else if p.Kind == "page" {
		p.FirstPage = 1
	}
	p.Total = b.pathTo(o, n.Str("total"))
	p.TotalPages = b.pathTo(o, n.Str("total-pages"))
	if more := n.Str("has-more"); more != "" {
		s, ok := b.find(o.method.Result.Type, more)
		if !ok {
			return nil
		}
		p.HasMore, p.HasMoreType = s.path, s.typ
	}
	if p.Kind != "link-header" && p.Kind != "next-url" && !b.request(o, p, n.Str("request"), n.Str("in")) {
		return nil
	}
	if last := n.Str("last-item"); last != "" {
		if !b.lastItem(p, last) {
			return nil
		}
		return p
	}
	switch p.Kind {
	case "offset", "page", "link-header":
		return p
	case "cursor", "next-url":
		if !b.next(o, p, n.Str("next")) {
			return nil
		}
		return p
	}
	return nil
}

func (b *builder) pathTo(o *operation, path string) []string {
	if path == "" {
		return nil
	}
	s, ok := b.find(o.method.Result.Type, path)
	if !ok {
		return nil
	}
	return s.path
}

func (b *builder) next(o *operation, p *Pagination, path string) bool {
	s, ok := b.find(o.method.Result.Type, path)
	if !ok || path == "" {
		return false
	}
	p.Next, p.NextType = s.path, s.typ
	return true
}

func (b *builder) lastItem(p *Pagination, name string) bool {
	s, ok := b.find(p.ItemType, name)
	if !ok || len(s.path) == 0 {
		return false
	}
	p.LastItem, p.LastItemType = s.path, s.typ
	return true
}

func (b *builder) speakeasyPagination(o *operation, n *spec.Node) *Pagination {
	p := &Pagination{}
	for _, in := range n.Get("inputs").List() {
		switch kind := in.Str("type"); kind {
		case "page", "offset", "cursor":
			p.Kind = kind
			if !b.request(o, p, in.Str("name"), in.Str("in")) {
				return nil
			}
		case "limit":
			b.limit(o, p, in.Str("name"))
		}
	}
	out := n.Get("outputs")
	if !b.items(o, p, out.Str("results")) && !b.onlyList(o, p) {
		return nil
	}
	p.TotalPages = b.pathTo(o, out.Str("numPages"))
	if p.Kind == "page" {
		p.FirstPage = 1
	}
	switch n.Str("type") {
	case "cursor":
		p.Kind = "cursor"
		if !b.next(o, p, out.Str("nextCursor")) {
			return nil
		}
	case "url":
		p.Kind = "next-url"
		if !b.next(o, p, out.Str("nextUrl")) {
			return nil
		}
	case "offsetLimit":
		if p.Kind != "page" && p.Kind != "offset" {
			return nil
		}
	default:
		return nil
	}
	return p
}

func (b *builder) fernPagination(o *operation, n *spec.Node) *Pagination {
	if n.IsTrue() {
		n = b.doc.Root.Get("x-fern-pagination")
	}
	p := &Pagination{}
	if !n.IsObject() || !b.items(o, p, n.Str("results")) {
		return nil
	}
	if more := n.Str("has-next-page"); more != "" {
		if s, ok := b.find(o.method.Result.Type, more); ok {
			p.HasMore, p.HasMoreType = s.path, s.typ
		}
	}
	b.limit(o, p, n.Str("step"))
	switch {
	case n.Has("cursor"):
		p.Kind = "cursor"
		if !b.request(o, p, n.Str("cursor"), "") || !b.next(o, p, n.Str("next_cursor")) {
			return nil
		}
	case n.Has("next_uri"):
		p.Kind = "next-url"
		if !b.next(o, p, n.Str("next_uri")) {
			return nil
		}
	case n.Has("offset"):
		p.Kind = "offset"
		if !b.request(o, p, n.Str("offset"), "") {
			return nil
		}
		if strings.Contains(strings.ToLower(p.Request), "page") {
			p.Kind, p.FirstPage = "page", 1
		}
	default:
		return nil
	}
	return p
}

func (b *builder) pageable(o *operation, n *spec.Node) *Pagination {
	p := &Pagination{Kind: "next-url"}
	item := n.Str("itemName")
	if item == "" {
		item = "value"
	}
	if !b.items(o, p, item) || !b.next(o, p, n.Str("nextLinkName")) {
		return nil
	}
	return p
}

// onlyList takes the one list among the members of the result, or the result that is a list.
func (b *builder) onlyList(o *operation, p *Pagination) bool {
	if b.items(o, p, "") {
		return true
	}
	t := b.structOf(o.method.Result.Type)
	if t == nil {
		return false
	}
	var lists []string
	for _, f := range t.Fields {
		if _, ok := b.listOf(f.Type); ok {
			lists = append(lists, f.JSON)
		}
	}
	for _, name := range []string{"data", "items", "results", "values", "value", "records", "entries", "list", "content"} {
		if slices.Contains(lists, name) && b.items(o, p, name) {
			return true
		}
	}
	return len(lists) == 1 && b.items(o, p, lists[0])
}
