// Package retrytest is part of the runtime.
package retrytest
