package plan

import (
	"net/http"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// keyHeaders are headers that are idempotency keys though their name does not say so.
var keyHeaders = map[string]bool{
	"paypal-request-id": true, "x-unique-transaction-id": true, "repeatability-request-id": true, "request-key": true,
}

func isKeyHeader(name string) bool {
	lower := strings.ToLower(name)
	if keyHeaders[lower] {
		return true
	}
	if !strings.Contains(lower, "idempoten") {
		return false
	}
	for _, not := range []string{"replay", "expir", "ttl", "window", "status"} {
		if strings.Contains(lower, not) {
			return false
		}
	}
	return true
}

// Members and query parameters that are keys by their name alone, and those that are when their words say so.
var (
	keyMembers   = []string{"idempotencykey", "clienttoken", "idempotencetoken", "idempotencytoken"}
	maybeMembers = []string{"requestid", "clientrequestid", "uniquetoken", "usersuppliedid", "ik", "requesttoken", "uniquerequestid", "referenceid"}
)

func isKeyMember(name string, n *spec.Node) bool {
	plain := strings.ToLower(strings.Join(words(name), ""))
	if t := n.Deref(); t.Str("type") != "string" || t.Has("enum") {
		return false
	}
	if slices.Contains(keyMembers, plain) {
		return true
	}
	return slices.Contains(maybeMembers, plain) && strings.Contains(strings.ToLower(n.Str("description")+n.Deref().Str("description")), "idempoten")
}

// takesKey reports whether a parameter is the idempotency key, which the runtime fills in, and notes it.
func (b *builder) takesKey(o *operation, p *spec.Node) bool {
	if own := o.Node.Get("x-idempotency"); own != nil && own.Kind == spec.Bool && !own.IsTrue() {
		return false
	}
	name, in := p.Str("name"), p.Str("in")
	own := o.Node.Get("x-idempotency")
	switch {
	case in == "header" && (isKeyHeader(name) || strings.EqualFold(own.Str("header"), name)):
	case in == "header" && b.isFernHeader(name):
	case in == "query" && (own.Str("in") == "query" && own.Str("name") == name || isWrite(o.Method) && isKeyMemberParam(p)):
	default:
		return false
	}
	if o.keyParam == nil {
		o.keyParam = p
	}
	return true
}

func isKeyMemberParam(p *spec.Node) bool {
	schema, _ := paramSchema(p)
	if schema == nil {
		return false
	}
	words := schema.Copy()
	words.Set("description", spec.NewString(p, p.Str("description")))
	return isKeyMember(p.Str("name"), words)
}

func isWrite(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// key decides whether and how an operation takes an idempotency key.
func (b *builder) key(o *operation) {
	own := o.Node.Get("x-idempotency")
	fern := o.Node.Get("x-fern-idempotent")
	if own != nil && own.Kind == spec.Bool && !own.IsTrue() || !isWrite(o.Method) {
		return
	}
	k := &Key{In: "header", Name: "Idempotency-Key"}
	switch {
	case own.IsObject() || own.IsTrue():
		k.From = "x-idempotency"
	case fern.IsTrue():
		k.From = "x-fern-idempotent"
		if name := b.fernHeader(); name != "" {
			k.Name = name
		}
	case o.keyParam != nil && o.keyParam.Str("in") == "header":
		k.From = "header-parameter"
	case o.keyParam != nil:
		k.From = "query-parameter"
	case b.bodyKey(o, k, ""):
		k.From = "body-property"
	case b.opts.KeyEveryWrite && (o.Method == http.MethodPost || o.Method == http.MethodPatch):
		k.From = "config"
		if b.opts.KeyHeader != "" {
			k.Name = b.opts.KeyHeader
		}
	default:
		return
	}
	if p := o.keyParam; p != nil {
		k.In, k.Name, k.Required = p.Str("in"), p.Str("name"), p.Flag("required")
		schema, _ := paramSchema(p)
		keyLimits(k, schema)
	}
	if own.IsObject() {
		b.ownKey(o, k, own)
	}
	o.method.Key = k
}

// keyLimits reads what a key must look like from its schema.
func keyLimits(k *Key, schema *spec.Node) {
	t := schema.Deref()
	if n, ok := t.Get("minLength").Int(); ok {
		k.MinLength = n
	}
	if n, ok := t.Get("maxLength").Int(); ok && n > 0 {
		k.MaxLength = n
	}
	if p := t.Str("pattern"); p != "" && compiles(p) {
		k.Pattern = p
	}
}

// ownKey reads our extension.
func (b *builder) ownKey(o *operation, k *Key, own *spec.Node) {
	if name := own.Str("header"); name != "" {
		k.In, k.Name = "header", name
	}
	if in := own.Str("in"); in == "header" || in == "body" || in == "query" {
		k.In = in
	}
	if name := own.Str("name"); name != "" {
		k.Name = name
	}
	if n, ok := own.Get("max-length").Int(); ok {
		k.MaxLength = n
	}
	if n, ok := own.Get("min-length").Int(); ok {
		k.MinLength = n
	}
	if p := own.Str("pattern"); p != "" {
		if compiles(p) {
			k.Pattern = p
		} else {
			b.failf(own.Get("pattern"), "x-idempotency", "the pattern %q is not a regular expression that Go has", p)
		}
	}
	if own.Has("required") {
		k.Required = own.Flag("required")
	}
	switch v := own.Str("in-flight"); v {
	case "", "reject", "wait", "202":
		k.InFlight = v
	default:
		b.failf(own.Get("in-flight"), "x-idempotency", "in-flight is reject, wait or 202, not %q", v)
	}
	codes := own.Get("conflict-codes")
	if codes.IsArray() {
		k.ReusedCodes = texts(codes.Items)
	} else {
		k.ReusedCodes = texts(codes.Get("reused").List())
		k.InProgressCodes = texts(codes.Get("in-progress").List())
	}
	if k.In == "body" && !b.bodyKey(o, k, k.Name) {
		b.failf(own, "x-idempotency", "the request body has no text member %q to carry the key", k.Name)
	}
	if template := own.Get("key"); template != nil {
		k.Template = template.Text()
		k.Parts = b.keyParts(o, template)
	}
}

func (b *builder) fernHeader() string {
	for _, h := range b.doc.Root.Get("x-fern-idempotency-headers").List() {
		if name := h.Str("header"); name != "" {
			return name
		}
	}
	return ""
}

func (b *builder) isFernHeader(name string) bool {
	for _, h := range b.doc.Root.Get("x-fern-idempotency-headers").List() {
		if strings.EqualFold(h.Str("header"), name) {
			return true
		}
	}
	return false
}

// bodyKey finds the member of the body that carries the key: the one of that name, or one that is known for it.
func (b *builder) bodyKey(o *operation, k *Key, name string) bool {
	if len(o.method.Bodies) == 0 {
		return false
	}
	d := b.byName[o.method.Bodies[0].Type]
	if d == nil || d.typ.Kind != Struct {
		return false
	}
	for _, f := range d.typ.Fields {
		member := d.node.Get("properties").Get(f.JSON)
		if name != "" && f.JSON != name || name == "" && !isKeyMember(f.JSON, member) || f.Const != "" {
			continue
		}
		if f.Type != "string" && f.Type != "*string" {
			continue
		}
		k.In, k.Name, k.BodyField, k.BodyType, k.Required = "body", f.JSON, f.GoName, f.Type, f.Required
		keyLimits(k, member)
		return true
	}
	return false
}
