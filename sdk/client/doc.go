// Package client is the core that every generated SDK calls, so that generated code says what an operation is and this
// package does the work: it builds the request, adds credentials, sends it through
// [github.com/retrysafe/retrysafe/sdk/transport] under one idempotency key, and gives back the decoded answer or one
// [*Error].
//
// Programs use the generated package, which gives its own names to what a user needs ([Option], [Error],
// [ResponseInfo]). What stands here beside those is for generated code and follows the handshake constant [Version1].
//
// A [Client] is safe for concurrent use. Credentials and bodies never appear in errors, and credentials never go to
// another host than the one the operation is called on.
package client
