// Package natskv adapts a NATS JetStream key-value bucket to the KV interface of package kvstore, without importing
// it: the interface is made of the language's own types.
//
// [Open] makes the bucket, or opens it:
//
//	kv, err := natskv.Open(ctx, js, jetstream.KeyValueConfig{Bucket: "idempotency", Replicas: 3})
//	store := kvstore.New(kv, kvstore.Options{})
//
// Choose a history of 1 (the default), replicas where records must outlive a server, and a TTL above the reaper's age,
// or none.
package natskv

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// KV is a bucket. It is safe for concurrent use.
type KV struct{ bucket jetstream.KeyValue }

// Open opens the bucket, and makes it when it is not there. It switches direct reads off: those are answered by any
// replica, and one that lags shows a record as it was, or none. Without them the leader answers.
func Open(ctx context.Context, js jetstream.JetStream, config jetstream.KeyValueConfig) (*KV, error) {
	_, err := js.KeyValue(ctx, config.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateKeyValue(ctx, config)
	}
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) { // another process may make it at the same time
		return nil, fmt.Errorf("natskv: bucket %s: %w", config.Bucket, err)
	}
	stream, err := js.Stream(ctx, "KV_"+config.Bucket)
	if err != nil {
		return nil, fmt.Errorf("natskv: bucket %s: %w", config.Bucket, err)
	}
	if kept := stream.CachedInfo().Config; kept.AllowDirect {
		kept.AllowDirect = false
		if _, err := js.UpdateStream(ctx, kept); err != nil {
			return nil, fmt.Errorf("natskv: bucket %s: %w", config.Bucket, err)
		}
	}
	bucket, err := js.KeyValue(ctx, config.Bucket) // again, for a handle that knows of it
	if err != nil {
		return nil, fmt.Errorf("natskv: bucket %s: %w", config.Bucket, err)
	}
	return &KV{bucket: bucket}, nil
}

// Create writes the value if the key is absent or deleted.
func (kv *KV) Create(ctx context.Context, key string, value []byte) (revision uint64, created bool, err error) {
	revision, err = kv.bucket.Create(ctx, key, value)
	return revision, err == nil, unlessMoved(err)
}

// Update replaces the value if its revision is still the given one.
func (kv *KV) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, swapped bool, err error) {
	next, err = kv.bucket.Update(ctx, key, value, revision)
	return next, err == nil, unlessMoved(err)
}

// Get reads the value from the leader.
func (kv *KV) Get(ctx context.Context, key string) (value []byte, revision uint64, found bool, err error) {
	entry, err := kv.bucket.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrKeyDeleted):
		return nil, 0, false, nil
	case err != nil:
		return nil, 0, false, err
	}
	return entry.Value(), entry.Revision(), true, nil
}

// Delete removes the key if its revision is still the given one.
func (kv *KV) Delete(ctx context.Context, key string, revision uint64) (deleted bool, err error) {
	err = kv.bucket.Purge(ctx, key, jetstream.LastRevision(revision))
	return err == nil, unlessMoved(err)
}

// Keys lists the keys of the bucket.
func (kv *KV) Keys(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lister, err := kv.bucket.ListKeys(ctx)
		if err != nil {
			yield("", err)
			return
		}
		for key := range lister.Keys() {
			if !yield(key, nil) {
				_ = lister.Stop() // the caller has left: there is nobody to tell
				return
			}
		}
	}
}

// unlessMoved turns the server's word that the revision is another one into no error.
func unlessMoved(err error) error {
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return nil
	}
	return err
}
