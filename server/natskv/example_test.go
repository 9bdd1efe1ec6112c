package natskv_test

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/retrysafe/retrysafe/server/natskv"
)

// A bucket for package kvstore, on three servers. Open it at start, on every replica.
func ExampleOpen() {
	conn, err := nats.Connect("nats://localhost:4222")
	if err != nil {
		panic(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		panic(err)
	}
	kv, err := natskv.Open(context.Background(), js, jetstream.KeyValueConfig{Bucket: "idempotency", Replicas: 3})
	if err != nil {
		panic(err)
	}
	_ = kv // kvstore.New(kv, kvstore.Options{}) is the store
}
