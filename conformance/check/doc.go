// Package check is the command "retrysafe check": it puts the cases of package conformance to a running server, which a
// YAML file describes.
package check
