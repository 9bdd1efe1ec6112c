// Package plan is the seam between the two halves of the generator: the front half (load, normalise, decide) fills a
// [Plan], the back half (models, templates, write) prints it and decides nothing.
//
// Every name and every Go type expression in a Plan is final: unique in the package, legal Go, stable when something
// unrelated is added to the document. Slices are in the order in which they are printed.
package plan

import "github.com/retrysafe/retrysafe/generator/spec"

// Plan is one SDK package.
type Plan struct {
	Package     string        // name of the Go package
	ImportPath  string        // import path of the package; "" when it is not known (no go.mod above the folder yet)
	Source      string        // base name of the document, for file headers
	Title       string        // info.title
	Version     string        // info.version
	Description string        // info.description, plain text
	DocsURL     string        // externalDocs.url
	EnvPrefix   string        // upper-case prefix of environment variables: SHOP gives SHOP_API_KEY and SHOP_BASE_URL
	Servers     []*Server     // document-wide servers, first is the default
	Schemes     []*Scheme     // security schemes that some operation uses
	Security    [][]SchemeUse // document-wide requirement: alternatives (OR) of sets (AND)
	Services    []*Service    // top-level services in document order; nested ones hang below their parent
	Types       []*Type       // every named type, sorted by name
	Webhooks    []*Webhook    // 3.1 webhooks with a payload
	ServerTypes bool          // reserved for nothing else than a package with server variables that are enums
	Names       []Name        // the map from places in the document to Go names, for --print-names
	Warnings    []Diagnostic
	Summary     Summary
}

// Position is a place in an input file; Line and Col start at 1, 0 is unknown.
type Position = spec.Position

// Diagnostic is one thing the user should know about the document.
type Diagnostic = spec.Diagnostic

// Name maps one place of the document to a Go name.
type Name struct {
	Pointer string // JSON pointer in the document
	Kind    string // type, field, enum-value, method, service, option
	Go      string // qualified with its type where it has one: Order.Status
}

// Summary counts what was made, for the end of a run and for --json.
type Summary struct {
	Operations     int
	Services       int
	Types          int
	KeyedFrom      map[string]int // operations that take a key, by where the declaration came from
	Safe           int            // operations that are idempotent by method or by declaration
	NotRetried     map[string]int // unsafe operations without a key, by reason
	Widened        int            // places where Go cannot say what the schema says and json.RawMessage or any stands in
	DroppedStrings []string       // nothing is dropped silently: what the output leaves out and why
}

// Server is one entry of servers.
type Server struct {
	URL         string // template with {variables}
	Name        string // Go name of its constant, e.g. ServerProduction
	Description string
	Variables   []*ServerVariable
}

// ServerVariable is one variable of a server URL.
type ServerVariable struct {
	Name, GoName, Default, Description string
	Enum                               []string
}

// Scheme is one security scheme.
type Scheme struct {
	Name        string // name in the document
	GoName      string // BearerAuth: option WithBearerAuth... ; the option's exact name is Option
	Option      string // WithBearerToken, WithAPIKey, WithBasicAuth, WithClientCredentials
	Kind        string // bearer | basic | apiKey | oauth2 | openIdConnect | mutualTLS
	In          string // apiKey: header | query | cookie
	Param       string // apiKey: name on the wire
	TokenURL    string // oauth2 client credentials; a relative or empty one is resolved by the runtime
	RefreshURL  string // oauth2: where refresh tokens give access tokens; "" when no flow gives them
	Scopes      []string
	Env         []string // environment variables: one, or two for basic and client credentials
	Description string

	ClientCredentials bool // an oauth2 scheme has that grant
}

// SchemeUse is one scheme of a requirement with the scopes asked.
type SchemeUse struct {
	Scheme string
	Scopes []string
}

// Service is a group of operations: a tag, or a part of a nested tag.
type Service struct {
	Name     string // tag as written
	GoName   string // field of its parent: Orders
	TypeName string // OrdersService
	Doc      string // comment text without slashes
	File     string // base of its file name without .gen.go: orders
	Methods  []*Method
	Children []*Service
}

// Method is one operation.
type Method struct {
	ID          string // operationId, or the one made up
	GoName      string
	OpVar       string // name of the package-level operation record: opOrdersCreate
	HTTP        string // GET, POST ...
	Path        string // template as written: /orders/{order_id}
	Doc         string // whole comment text without slashes, begins with GoName
	Deprecated  string // text of the Deprecated paragraph; "" when it is not
	Pos         Position
	PathParams  []*Param // positional arguments in path order
	Params      *Params  // query, header and cookie parameters; nil when there is none
	Bodies      []*Body  // request bodies by content type, the preferred first; more than one gives one method for each (GoName of the Body)
	Result      Result
	Errors      []*ErrorResponse
	Key         *Key   // nil: takes no idempotency key
	Idempotent  bool   // by method or by declaration, after x-retry and x-idempotency
	SafeFrom    string // why: "method", "x-retry", ...
	Retry       Retry
	Pagination  *Pagination
	Job         *Job
	Security    [][]SchemeUse // nil: the document's; empty and non-nil: none
	HasSecurity bool
	Servers     []*Server         // operation's or path's own
	Headers     []*ResponseHeader // declared headers of the success answers
	Example     *Example
}

// Param is one parameter.
type Param struct {
	Name       string // on the wire
	GoName     string // field of the params struct
	ArgName    string // argument name when positional
	Type       string // Go type expression as it stands in the struct or the signature
	In         string // path | query | header | cookie
	Style      string // simple | label | matrix | form | spaceDelimited | pipeDelimited | deepObject
	Explode    bool
	Reserved   bool // allowReserved
	JSON       bool // content: application/json
	Required   bool
	Deprecated string
	Doc        string
	Const      string // Go literal sent by itself when the schema allows one value only; such a parameter is no argument
	Default    string // default in words
}

// Params is the struct of an operation's query, header and cookie parameters.
type Params struct {
	TypeName string // ListOrdersParams
	Fields   []*Param
	Required bool // some field is required
}

// Body is one way to send the request body.
type Body struct {
	ContentType string // as sent
	Kind        string // json | form | multipart | binary | text | xml(raw)
	Type        string // Go type expression of the argument: CreateOrderRequest, []Order, io.Reader, string, *wire.File ...
	ByPointer   bool   // false: passed by value
	ArgName     string // body
	GoName      string // method name suffix for other than the first body: CreateWithForm
	Required    bool
	Encoding    []*Encoding // per property of form and multipart bodies
	Doc         string
}

// Encoding is the encoding object of one property.
type Encoding struct {
	Property    string
	ContentType string
	Style       string
	Explode     bool
	Reserved    bool
}

// Result says what a call gives back on success.
type Result struct {
	Kind     string    // none | one | many | text | binary | sse | ndjson
	Type     string    // one: Go type; many: name of the struct type that Alternatives fill; sse, ndjson: type of one event
	Pointer  bool      // the method gives back *Type rather than Type (structs: true; slices, maps, scalars: false)
	Answers  []*Answer // every declared success answer
	TypeName string    // many: name of the result struct
	End      string    // sse, ndjson: data of the event, or text of the line, that ends the stream, when the document says so: [DONE]
	Switch   string    // sse: Go field of the first body that makes the API answer with events, set by the method; "" when there is none
	Endless  bool      // sse, ndjson: the document says that the stream has no end of its own
}

// Answer is one declared success answer.
type Answer struct {
	Status      string // "200", "2XX", "default"
	ContentType string // "" when it has no body
	Kind        string // json | text | binary | sse | ndjson | none
	Type        string // Go type
	GoName      string // many: field name
	Doc         string
	Example     string // JSON text of a whole answer as the document shows it, the text of one event for streams; "" when it shows none
}

// ErrorResponse is one declared error answer with a body.
type ErrorResponse struct {
	Status      string // "404", "4XX", "default"
	ContentType string
	Type        string // named Go type that has an Error method
	Doc         string
}

// Key says how an operation takes its idempotency key.
type Key struct {
	From                         string    // x-idempotency | x-fern-idempotent | header-parameter | body-property | config ...
	In                           string    // header | body | query
	Name                         string    // header or property or parameter name
	BodyField                    string    // Go field name when In is body
	BodyType                     string    // "string" or "*string"
	Template                     string    // order-confirm-{body.order_ref}; "" when there is none
	Parts                        []KeyPart // Template taken apart
	MinLength                    int
	MaxLength                    int // 0: unknown
	Pattern                      string
	Required                     bool
	InFlight                     string   // reject | wait | 202
	ReusedCodes, InProgressCodes []string // problem codes; empty: the defaults
}

// KeyPart is a literal or a value of the call.
type KeyPart struct {
	Literal string
	Expr    string // Go expression over the method's arguments: body.OrderRef, orderID
	Guard   string // Go condition under which Expr may be evaluated (pointers on the way are not nil); "" is always
}

// Retry is what the document or the config says of one operation; zero values mean the defaults.
type Retry struct {
	Attempts       int
	Statuses       []int
	BaseMS, CapMS  int
	DeadlineMS     int
	AttemptMS      int
	Disabled       bool
	OverrideHeader string // X-Should-Retry
}

// Pagination says how a list goes on.
type Pagination struct {
	Kind         string   // cursor | offset | page | next-url | link-header
	From         string   // rule or name of the extension
	ItemType     string   // Go type of one item
	Items        []string // Go selector path in the result: ["Data"]; empty when the result is the slice itself
	ItemsPtr     bool
	Request      string // Go field of Params that carries the cursor, the offset or the page
	RequestType  string // its Go type
	Limit        string // Go field of Params with the page size; "" when there is none
	LimitType    string
	Next         []string // Go selector path of next cursor or URL in the result
	NextType     string   // Go type at the end of Next
	HasMore      []string // Go selector path of a has-more flag; empty when there is none
	HasMoreType  string
	LastItem     []string // cursor is this field of the last item (starting_after); empty otherwise
	LastItemType string
	Total        []string // Go selector path of the count of all items; empty when there is none
	TotalPages   []string // Go selector path of the count of all pages; empty when there is none
	FirstPage    int      // page numbers: 0 or 1
	InBody       bool     // Request is a field of the body
}

// Job says that the operation starts a long job with a status URL.
type Job struct {
	Header       string   // Location, Operation-Location ...
	StatusOp     string   // ID of the operation that reads the status, when known
	StatusPath   []string // Go selector path of the status word in the body
	Done, Failed []string // status words
}

// ResponseHeader is one declared response header.
type ResponseHeader struct {
	Name, GoName, Type, Doc string
	Example                 string // value as it stands in the document; "" when there is none
}

// Example holds a sample call for docs and tests.
type Example struct {
	Args string // Go argument list after ctx
}

// Kind of a named type.
type Kind string

// The kinds of named types.
const (
	Struct Kind = "struct" // fields and, unless closed, the members not known to the document
	Enum   Kind = "enum"   // defined type on Base with constants
	Alias  Kind = "alias"  // type X = Base
	Define Kind = "define" // type X Base: arrays, maps and scalars with a name of their own
	Union  Kind = "union"  // oneOf, anyOf, several types
)

// Type is one named Go type.
type Type struct {
	Name          string
	Kind          Kind
	Doc           string // comment text without slashes; begins with Name
	Deprecated    string
	Pos           Position
	Pointer       string // JSON pointer of the schema
	File          string // base of the file it is printed in, without .gen.go: types, orders_types
	Fields        []*Field
	Extra         string // struct: element type of the map of members without a field: json.RawMessage, or the additionalProperties type; "" when additionalProperties is false
	ExtraName     string // its field name: ExtraFields, AdditionalProperties
	Base          string // enum, alias, define
	Values        []*EnumValue
	Variants      []*Variant
	Discriminator string   // union: property on the wire; "" when variants are told apart by shape
	IsError       bool     // gets an Error method (it is declared as an error answer)
	ErrorText     string   // what its Error method calls it; "" is Name
	Secret        bool     // never printed by %v
	Imports       []string // import paths that its declaration needs
	Example       string   // JSON text of a value that the document shows; "" when it shows none
}

// Field is one member of a struct.
type Field struct {
	JSON       string // name on the wire
	GoName     string
	Type       string // exactly as it stands in the struct
	Omit       string // "", "omitempty" or "omitzero"
	Doc        string
	Deprecated string
	Required   bool
	Nullable   bool
	ReadOnly   bool
	WriteOnly  bool
	Secret     bool   // password, token, card number: hidden by %v, never part of a key
	Const      string // Go expression sent by itself when the field is left zero
	File       bool   // binary part of a multipart body
	Example    string // JSON text of a value that the document shows; "" when it shows none
}

// EnumValue is one constant.
type EnumValue struct {
	GoName  string // always begins with the type's name
	Literal string // Go literal
	Doc     string
}

// Variant is one case of a union.
type Variant struct {
	GoName       string   // AsCard, NewPaymentMethodCard use it
	Type         string   // Go type
	Pointer      bool     // AsX gives back *Type
	JSON         string   // object | array | string | integer | number | boolean | null
	Tags         []string // discriminator values on the wire
	TagField     string   // Go field of the variant that holds the discriminator; "" when there is none
	TagFieldType string
	Required     []string            // objects: members that must be there
	Known        []string            // objects: members it knows
	Consts       map[string][]string // objects: members that allow only these JSON texts
	Doc          string
}

// Webhook is one event that the API sends.
type Webhook struct {
	Name   string // name in the document
	GoName string
	Type   string // payload type
	Tag    string // value of the event-type member, when it is known
	Doc    string
}
