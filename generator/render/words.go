package render

// Words of the plan, and of the printed code, that stand in several places here.
const (
	resultNone   = "none"
	resultOne    = "one"
	resultMany   = "many"
	resultText   = "text"
	resultBinary = "binary"
	resultSSE    = "sse"
	resultNDJSON = "ndjson"

	bodyForm     = "form"
	schemeAPIKey = "apiKey"

	typeString  = "string"
	typeRaw     = "json.RawMessage"
	typeJSON    = "application/json"
	valueNil    = "nil"
	kindBinary  = "client.Binary"
	oneDuration = "d time.Duration"
)

// Names that several templates take.
const (
	dataTitle   = "Title"
	dataPackage = "Package"
	dataSource  = "Source"
)
