package plan

import "strings"

// method fills in one method.
func (b *builder) method(o *operation) {
	m := o.method
	m.HTTP, m.Path = o.Method, o.Path
	m.Deprecated = deprecation(o.Node)
	b.params(o)
	b.bodies(o)
	b.retry(o)
	b.key(o)
	b.result(o)
	b.pagination(o)
	b.methodSecurity(o)
	m.Servers = b.servers(o.Node.Get("servers"), false)
	if m.Servers == nil {
		m.Servers = b.servers(o.Item.Get("servers"), false)
	}
	m.Doc = methodDoc(o)
	b.example(o)
	if o.stream != nil {
		b.finishStream(o)
	}
}

// finishStream puts the streaming twin behind its method.
func (b *builder) finishStream(o *operation) {
	stream := *o.method
	stream.GoName, stream.OpVar, stream.Result = o.stream.GoName, o.stream.OpVar, o.stream.Result
	stream.Pagination, stream.Job = nil, nil
	if stream.Params != nil {
		params := *stream.Params
		params.TypeName = b.global.takeType(o.base+"StreamParams", o.base+"StreamParameters")
		stream.Params = &params
	}
	stream.Doc = stream.GoName + ": " + o.method.GoName + " with an answer of server-sent events. Set what makes the API stream in the request."
	if f := b.streamSwitch(&stream); f != nil {
		stream.Result.Switch = f.GoName
		stream.Doc = stream.GoName + ": " + o.method.GoName + " with an answer of server-sent events, which it asks for by " + f.JSON + " in the body."
	}
	for i, m := range o.service.Methods {
		if m == o.method {
			rest := append([]*Method{&stream}, o.service.Methods[i+1:]...)
			o.service.Methods = append(o.service.Methods[:i+1:i+1], rest...)
			return
		}
	}
}

// methodDoc is the comment of a method: its summary, its description, and where to read more.
func methodDoc(o *operation) string {
	summary := docText(o.Node.Str("summary"))
	text := docText(o.Node.Str("description"))
	name := o.method.GoName
	switch {
	case summary != "" && text != "" && !strings.HasPrefix(text, strings.TrimRight(summary, ".")):
		text = sentence(begin(name, summary)) + "\n\n" + text
	case text != "":
		text = begin(name, text)
	case summary != "":
		text = sentence(begin(name, summary))
	default:
		text = name + " calls " + o.Method + " " + o.Path + "."
	}
	if url := o.Node.At("externalDocs", "url").Text(); url != "" {
		text += "\n\nSee " + url
	}
	return text
}
