// Package retry is part of the runtime.
package retry
