package plan

import (
	"strconv"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// shape is what a schema is in Go.
type shape uint8

const (
	anyShape shape = iota
	scalarShape
	sliceShape
	mapShape
	structShape
	enumShape
	unionShape
	fileShape
)

// shapeOf looks at a normalised schema that is no reference.
func shapeOf(n *spec.Node) shape {
	if n == nil || n.Kind != spec.Object {
		return anyShape
	}
	if n.Has("oneOf") {
		return unionShape
	}
	switch n.Str("type") {
	case "object":
		if len(n.Get("properties").All()) > 0 {
			return structShape
		}
		return mapShape
	case "array":
		return sliceShape
	case "string", "integer", "number":
		if n.Has("enum") {
			return enumShape
		}
		return scalarShape
	case "boolean":
		return scalarShape
	}
	return anyShape
}

// scalarType gives the Go type of a scalar schema.
func scalarType(n *spec.Node) string {
	format := n.Str("format")
	switch n.Str("type") {
	case "string":
		return stringType(n, format)
	case "integer":
		switch format {
		case "int32", "int16", "int8":
			return "int32"
		}
		if isUnsigned(n) {
			return "uint64"
		}
		return "int64"
	case "number":
		switch format {
		case "decimal", "bignumber", "bigdecimal":
			return "json.Number"
		case "int64":
			return "int64"
		case "int32":
			return "int32"
		}
		return "float64" // also for the format float, since 32 bits do not hold the digits that servers write
	case "boolean":
		return "bool"
	}
	return rawType
}

// isUnsigned tells integers that may be above what 64 bits with a sign hold.
func isUnsigned(n *spec.Node) bool {
	const above = 9.3e18 // 2^63 is 9.22e18, 2^64 is 18.4e18, both in the digits that writers of documents leave
	most, err := strconv.ParseFloat(n.Str("maximum"), 64)
	return n.Str("format") == "uint64" || err == nil && most > above
}

func stringType(n *spec.Node, format string) string {
	switch {
	case n.Has("enum"):
		return "string"
	case format == "date-time":
		return "time.Time"
	case format == "date":
		return "wire.Date"
	case format == "byte" || format == "base64" || n.Str("contentEncoding") == "base64":
		return "[]byte"
	}
	return "string"
}

const rawType = "json.RawMessage"

// isBinary reports whether a schema is a file where the transport can carry one.
func isBinary(n *spec.Node) bool {
	n = n.Deref()
	if n.Str("type") != "string" || n.Has("enum") {
		return false
	}
	if n.Str("format") == "binary" || n.Str("format") == "file" {
		return true
	}
	media := n.Str("contentMediaType")
	return media != "" && n.Str("contentEncoding") == "" && n.Str("format") == "" && !isTextMedia(media)
}

func isTextMedia(media string) bool {
	return kindOfMedia(media) == "json" || kindOfMedia(media) == "text"
}

// single gives the one value that a schema allows, nil when there are more.
func single(n *spec.Node) *spec.Node {
	n = n.Deref()
	values := n.Get("enum").List()
	if len(values) != 1 {
		return nil
	}
	return values[0]
}

// isConst reports whether a member of that schema is sent by itself: it has one value, which has to be there or is what
// the server takes when it is not. One that may be left out, and then means something else, is the caller's to set.
func isConst(n *spec.Node, required bool) bool {
	one, target := single(n), n.Deref()
	if one == nil || n.Flag("nullable") || target.Flag("nullable") {
		return false
	}
	implied := n.Get("default")
	if implied == nil {
		implied = target.Get("default")
	}
	return required || target.Has("const") && implied != nil && implied.Value == one.Value
}
