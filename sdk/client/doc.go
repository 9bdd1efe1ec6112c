// Package client is part of the runtime.
package client
