// Package wire is part of the runtime.
package wire
