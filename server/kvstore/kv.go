package kvstore

import (
	"context"
	"iter"
)

// KV is what the store needs. It is made of the language's own types, so that an adapter need not import this module.
//
// A write that returns an error may or may not have been made. Revisions rise with every write of a key and are never
// used twice for one key, also when it is deleted and made again. A read sees every write that was confirmed before it
// began: where replicas may lag, ask the leader. Keys are 64 hexadecimal digits. Implementations are safe for concurrent
// use.
type KV interface {
	// Create writes the value if the key is absent.
	Create(ctx context.Context, key string, value []byte) (revision uint64, created bool, err error)
	// Update replaces the value if its revision is still the given one.
	Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, swapped bool, err error)
	// Get reads the value.
	Get(ctx context.Context, key string) (value []byte, revision uint64, found bool, err error)
	// Delete removes the key if its revision is still the given one.
	Delete(ctx context.Context, key string, revision uint64) (deleted bool, err error)
	// Keys lists all keys, in any order.
	Keys(ctx context.Context) iter.Seq2[string, error]
}
