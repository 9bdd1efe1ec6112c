// Package natskv adapts a NATS JetStream key-value bucket to the KV interface of package kvstore, without importing
// it: the interface is made of the language's own types.
//
// Make the bucket with a history of 1 (the default), with replicas where records must outlive a server, and with a TTL
// above the reaper's age, or none:
//
//	bucket, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "idempotency", Replicas: 3})
//	store := kvstore.New(natskv.New(bucket), kvstore.Options{})
package natskv

import (
	"context"
	"errors"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// KV is a bucket. It is safe for concurrent use.
type KV struct{ bucket jetstream.KeyValue }

// New adapts the bucket.
func New(bucket jetstream.KeyValue) *KV { return &KV{bucket: bucket} }

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

// Get reads the value. A bucket with direct reads may answer from a replica that lags.
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
	var refused *jetstream.APIError
	if errors.Is(err, jetstream.ErrKeyExists) ||
		(errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence) {
		return nil
	}
	return err
}
