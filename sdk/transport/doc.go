// Package transport is part of the runtime.
package transport
