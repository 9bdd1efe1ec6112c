// Package kvstore keeps idempotency records in any store that can create a key if it is absent and replace a value if
// its revision is still the one that was read: NATS JetStream KV, etcd, Consul, DynamoDB, Cosmos DB.
//
// The claim comes first and the handler's writes are not joined with it: a crash leaves the claim in flight until its
// lease ends, and then the outcome is unknown unless the handler works in phases (idempotency.Options.Resumable).
// Leases are judged by the processes' clocks, which must agree within a small part of the lease.
package kvstore
