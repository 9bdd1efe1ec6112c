// Package retrytest helps to test code that calls an API through an SDK: a
// [Transport] and a [Server] that answer by script, with the failures that a
// network has, and a clock that does not wait ([FakeTime]).
//
// A script is a list of steps, one for each request that arrives; the last one
// repeats.
package retrytest
