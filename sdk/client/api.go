package client

import (
	"net/http"

	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Version1 is the handshake with generated code: a package generated for this runtime refers to it, so that a runtime
// which cannot serve it does not compile. When it is missing, take the runtime version that the generator names.
const Version1 = true

// Version is the version of the runtime as it stands in the User-Agent header.
const Version = "0.1.0"

// API is the static record of one API.
type API struct {
	// Name is the Go package name, the first word of error texts.
	Name string
	// Product is the User-Agent product with its version: shop-go/1.2.0.
	Product string
	// EnvPrefix begins the names of environment variables: SHOP reads SHOP_BASE_URL.
	EnvPrefix string
	// Servers are the document's servers, the first is the default.
	Servers []Server
	// OwnServers tells that each operation names its own, so that a client needs no base URL.
	OwnServers bool
	// Schemes are the security schemes that operations refer to by name.
	Schemes []Scheme
	// Security is what an operation demands that says nothing itself.
	Security []Requirement
	// Errors are the error answers of an operation that declares none itself.
	Errors []ErrorCase
}

// Server is a base URL, possibly with {variables}.
type Server struct {
	URL       string
	Variables []Variable
}

// Variable is one variable of a server's URL.
type Variable struct {
	Name    string
	Default string
	Enum    []string // allowed values; nil: any
}

// SchemeKind tells how a credential is presented.
type SchemeKind string

// The kinds of security schemes.
const (
	Bearer SchemeKind = "bearer"
	Basic  SchemeKind = "basic"
	APIKey SchemeKind = "apiKey"
	OAuth2 SchemeKind = "oauth2"
)

// Scheme is one security scheme.
type Scheme struct {
	Name     string
	Kind     SchemeKind
	In       string // APIKey: header, query or cookie
	Param    string // APIKey: its name on the wire
	TokenURL string // OAuth2: token endpoint of the client credentials grant
	Scopes   []string
	Env      []string // environment variables; two for Basic and for OAuth2 client credentials
	Option   string   // name of the generated option, for the hint in an error
}

// Requirement is a set of schemes that must all be presented. An empty one allows a call without credentials.
type Requirement []string

// ErrorCase is a declared error answer.
type ErrorCase struct {
	Status string // 404, 4XX or default
	New    func() error
}

// Kind tells how a body is read or written.
type Kind uint8

// The kinds of bodies.
const (
	JSON Kind = iota
	None
	Form
	Multipart
	Text
	Binary
	Events // server-sent events
	Lines  // newline-delimited JSON
)

// Operation is the static record of one operation. Zero values mean: no body, any 2xx answer with JSON, the API's
// own errors, security and servers.
type Operation struct {
	Call      transport.Operation
	Path      []PathParam // path parameters in the order of the template; nil: all in simple style
	KeyQuery  string      // query parameter that carries the idempotency key
	Body      Body
	Accept    string // nil answers accept application/json
	Answers   []Answer
	Errors    []ErrorCase
	Security  []Requirement // nil: the API's; empty: none
	Servers   []Server
	Paging    *Paging
	Streaming *Streaming
	Job       *Job
}

// PathParam is a path parameter whose style is not the default.
type PathParam struct {
	Name    string
	Style   wire.Style // empty: simple
	Explode bool
}

// Body says how a request body is encoded.
type Body struct {
	Type     string // content type; empty: the operation takes no body
	Kind     Kind
	Encoding []wire.Encoding
}

// Answer is one declared success answer.
type Answer struct {
	Status string // 200, 2XX or default
	Type   string // content type, possibly a range; empty for None
	Kind   Kind
}

// Input is what one call brings.
type Input struct {
	Path   []any // values of the path parameters in the order of the template
	Params any   // struct of query, header and cookie parameters; nil: none
	Body   any   // nil: no body is sent
	Event  Event // parts of an event-derived key; nil: none
	Key    any   // *string or **string in Body that carries the idempotency key

	target string      // URL in place of base and path, with its query
	header http.Header // over the operation's own
}
