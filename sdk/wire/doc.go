// Package wire says how the values of a generated SDK look on the wire, and reads them back.
//
// It writes path, query, header and cookie parameters in every style of the OpenAPI Specification ([PathValue],
// [AddParams]), form and multipart bodies ([Form], [Multipart]), and JSON that loses nothing: members, enum values and
// union cases that the document does not know survive a round trip ([Marshal], [Unmarshal], [Match]). On the way back
// it reads server-sent events ([Events]), newline-delimited JSON ([Lines]), typed headers ([DecodeHeader]) and
// downloads that go on after a break ([Resume]).
//
// Encoding is deterministic: the same value gives the same bytes, which a retry under one idempotency key needs.
// Errors name the parameter or the JSON path and never the value, so that they may be logged.
//
// # Tags
//
// Beside their json tag, fields of a struct may have a wire tag with these words, separated by commas:
//
//	extra      a map with string keys that keeps the members without a field
//	readonly   left out by MarshalRequest, and by parameters and forms
//	secret     masked by Format
//	writeonly  masked by Format
//	const=TEXT the JSON text written for the zero value; the last word, since TEXT may hold commas
//
// Parameters have a tag query, header or cookie instead, see [AddParams].
//
// Nothing here keeps state between calls besides a cache of type plans; everything is safe for concurrent use unless
// it says otherwise. The package imports the standard library only.
package wire
