package plan

import (
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// Names by which lists are known to go on, without separators and in small letters.
var (
	cursorParams = []string{"cursor", "pagetoken", "nexttoken", "nextpagetoken", "continuationtoken", "pagecursor", "nextcursor", "paginationtoken", "aftercursor", "continue", "pageafter", "startcursor"}
	afterParams  = []string{"startingafter", "after", "afterid", "lastid"}
	offsetParams = []string{"offset", "skip", "pageoffset"}
	pageParams   = []string{"page", "pagenumber", "pageno", "pageindex"}
	limitParams  = []string{"limit", "pagesize", "perpage", "pagelimit", "maxresults", "count", "size", "top", "resultsperpage", "pagesizelimit"}

	nextCursors = []string{
		"nextcursor", "nextpagetoken", "nexttoken", "continuationtoken", "endcursor", "nextpagecursor", "aftercursor", "cursornext", "nextpage", "continue", "next", "after", "cursor",
	}
	nextURLs  = []string{"next", "nexturl", "nextlink", "nextpageurl", "nextpageuri", "nexthref", "odatanextlink"}
	hasMores  = []string{"hasmore", "hasnext", "hasnextpage", "more", "hasmoreitems"}
	envelopes = []string{"", "meta", "pagination", "paging", "links", "cursors", "responsemetadata", "pageinfo", "cursor", "page", "metadata", "pagemeta"}
)

func plain(name string) string {
	return strings.ToLower(strings.Join(words(name), ""))
}

// paginationByRule recognises a list by its parameters and the members of its result. It needs both sides to agree, so
// that a parameter called page alone starts nothing.
func (b *builder) paginationByRule(o *operation) *Pagination {
	p := &Pagination{From: "rule"}
	if o.method.Params == nil || !b.onlyList(o, p) {
		return nil
	}
	for _, f := range o.method.Params.Fields {
		if f.In == "query" && slices.Contains(limitParams, plain(f.Name)) && p.Limit == "" {
			p.Limit, p.LimitType = f.GoName, f.Type
		}
	}
	if b.hasMore(o, p); b.byCursor(o, p) || b.byLastItem(o, p) || b.byNextURL(o, p) || b.byNumber(o, p) {
		return p
	}
	return nil
}

func (b *builder) param1(o *operation, names []string, types ...string) *Param {
	for _, name := range names {
		for _, f := range o.method.Params.Fields {
			if f.In == "query" && plain(f.Name) == name && slices.Contains(types, strings.TrimPrefix(f.Type, "*")) {
				return f
			}
		}
	}
	return nil
}

// inResult looks for a member by name, in the result and in the objects where lists keep such things.
func (b *builder) inResult(o *operation, names []string, fits func(string) bool) (selected, bool) {
	for _, name := range names {
		for _, envelope := range envelopes {
			if s, ok := b.member(o.method.Result.Type, envelope, name, 0, fits); ok {
				return s, true
			}
		}
	}
	return selected{}, false
}

func (b *builder) member(expr, envelope, name string, depth int, fits func(string) bool) (selected, bool) {
	t := b.structOf(expr)
	if t == nil || depth > 2 {
		return selected{}, false
	}
	for _, f := range t.Fields {
		if envelope == "" && plain(f.JSON) == name && fits(bareType(f.Type)) {
			return selected{[]string{f.GoName}, f.Type}, true
		}
		if envelope == "" || plain(f.JSON) != envelope {
			continue
		}
		for _, inner := range envelopes {
			if inner == envelope {
				continue
			}
			if s, ok := b.member(f.Type, inner, name, depth+1, fits); ok {
				return selected{append([]string{f.GoName}, s.path...), s.typ}, true
			}
		}
	}
	return selected{}, false
}

func isText(expr string) bool { return expr == "string" }

func (b *builder) hasMore(o *operation, p *Pagination) {
	if s, ok := b.inResult(o, hasMores, func(t string) bool { return t == "bool" }); ok {
		p.HasMore, p.HasMoreType = s.path, s.typ
	}
}

func (b *builder) byCursor(o *operation, p *Pagination) bool {
	f := b.param1(o, append(slices.Clone(cursorParams), "after", "start", "pagingtoken", "marker"), "string")
	if f == nil {
		return false
	}
	s, ok := b.inResult(o, nextCursors, isText)
	if !ok {
		return false
	}
	p.Kind, p.Request, p.RequestType, p.Next, p.NextType = "cursor", f.GoName, f.Type, s.path, s.typ
	return true
}

func (b *builder) byLastItem(o *operation, p *Pagination) bool {
	f := b.param1(o, afterParams, "string")
	if f == nil || p.HasMore == nil || !b.lastItem(p, "id") {
		return false
	}
	if t := bareType(p.LastItemType); t != "string" {
		p.LastItem = nil
		return false
	}
	p.Kind, p.Request, p.RequestType = "cursor", f.GoName, f.Type
	return true
}

func (b *builder) byNextURL(o *operation, p *Pagination) bool {
	isURL := func(expr string) bool { return expr == "string" }
	s, ok := b.inResult(o, nextURLs, isURL)
	if !ok || !b.looksLikeURL(o, s) {
		return false
	}
	p.Kind, p.Next, p.NextType = "next-url", s.path, s.typ
	return true
}

// looksLikeURL reads the schema behind a place of the result: a URI by format, by example or by its words.
func (b *builder) looksLikeURL(o *operation, s selected) bool {
	t := b.structOf(o.method.Result.Type)
	var n *spec.Node
	for i, name := range s.path {
		if t == nil {
			return false
		}
		for _, f := range t.Fields {
			if f.GoName != name {
				continue
			}
			n = b.byName[t.Name].node.Get("properties").Get(f.JSON)
			if i < len(s.path)-1 {
				t = b.structOf(f.Type)
			}
			break
		}
	}
	last := plain(s.path[len(s.path)-1])
	if strings.HasSuffix(last, "url") || strings.HasSuffix(last, "link") || strings.HasSuffix(last, "uri") || strings.HasSuffix(last, "href") {
		return true
	}
	d := n.Deref()
	example := d.Str("example") + n.Str("example")
	words := strings.ToLower(d.Str("description") + n.Str("description"))
	return strings.HasPrefix(d.Str("format"), "uri") || d.Str("format") == "url" || strings.HasPrefix(example, "http") || strings.HasPrefix(example, "/") ||
		strings.Contains(words, "url") || strings.Contains(words, "uri")
}

var integers = []string{"int64", "int32", "uint64"}

func (b *builder) byNumber(o *operation, p *Pagination) bool {
	if f := b.param1(o, offsetParams, integers...); f != nil && p.Limit != "" {
		p.Kind, p.Request, p.RequestType = "offset", f.GoName, f.Type
		p.Total = b.total(o, []string{"total", "totalcount", "totalresults", "count", "totalitems", "totalrecords"})
		return true
	}
	f := b.param1(o, pageParams, integers...)
	if f == nil {
		return false
	}
	p.Kind, p.Request, p.RequestType, p.FirstPage = "page", f.GoName, f.Type, 1
	for _, param := range o.Params {
		if param.Str("name") != f.Name {
			continue
		}
		schema, _ := paramSchema(param)
		t := schema.Deref()
		if t.Str("minimum") == "0" || t.Str("default") == "0" {
			p.FirstPage = 0
		}
	}
	p.TotalPages = b.total(o, []string{"totalpages", "pages", "pagecount", "lastpage", "numpages"})
	return true
}

func (b *builder) total(o *operation, names []string) []string {
	s, ok := b.inResult(o, names, func(t string) bool { return slices.Contains(integers, t) })
	if !ok {
		return nil
	}
	return s.path
}
