// Package transport makes HTTP calls that are safe to make twice. A
// [Transport] is an http.RoundTripper: put it into an http.Client, or let a
// generated SDK do so.
//
// One call goes through these steps, in this order: options are resolved and
// the deadline is set, once; the idempotency key is made, once; then attempts
// are made. After each attempt that fails: what happened is classified, the
// attempts are counted, the wait is held against the deadline, the budget is
// asked, the retry is logged, and the wait is waited, on the caller's context.
//
// The rules and their defaults are those of packages retry and budget. A
// request that the server may have processed is sent again only when that does
// no harm: the operation is idempotent, or carries a key that the server is
// known to honour.
//
// The transport does not follow redirects; the http.Client above it does. A
// hop of a redirect continues its call: it keeps the deadline and, where the
// body goes with it (307, 308), the key.
package transport
