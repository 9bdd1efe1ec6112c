// Package idempotency collapses repeated requests into one effect.
//
// A client mints a key for one intent and sends it with every attempt of it. [Middleware] claims the key before
// the handler runs, keeps the handler's answer under it, and gives the same answer to every later attempt:
//
//	absent -> in flight -> complete
//	             |
//	             +-> released (failed before any effect): absent again
//
// A record belongs to one caller and one operation, so that two callers who pick the same key never meet, and it
// remembers a fingerprint of the request, so that a key that comes back with another payload is refused.
//
// What the middleware answers by itself is a problem document (RFC 9457) with a machine code, see [Code].
//
// Where records live is the [Store]'s business. [NewMemory] serves tests and single processes; package sqlstore
// joins the claim, the handler's own writes and the answer in one database transaction; package kvstore needs
// nothing but create-if-absent and compare-and-swap.
//
// Delivery is at least once and duplicates collapse, so that the effect happens effectively once. No claim is made
// beyond that: a handler that calls a foreign system must pass a key on, see [Call].
package idempotency
