// Package keys is part of the runtime.
package keys
