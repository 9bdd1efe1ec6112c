// Package spec reads an OpenAPI document, JSON or YAML, into a tree that knows where each of its nodes stands.
//
// The tree is the input of everything after it: passes of package normalise change it, package plan reads it, and a
// complaint about a node names its file, line and column. References are linked once, when the document is loaded,
// so that a node keeps its meaning however much is rewritten around it.
package spec
