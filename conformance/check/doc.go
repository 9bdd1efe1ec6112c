// Package check is the command "retrysafe check": it puts the cases of package conformance to a running server, which a
// YAML file describes, or to a client program.
package check
