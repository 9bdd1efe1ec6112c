// Package idempotency is part of the server half.
package idempotency
