// Package storetest is the suite that every idempotency.Store must pass. Authors of stores run it in their own tests:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Harness { ... })
//	}
package storetest
