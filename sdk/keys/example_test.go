package keys_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrysafe/retrysafe/sdk/keys"
)

// The same event gives the same key, after a crash too.
func ExampleEvent() {
	source := keys.Event("order-confirm", "1042")

	key, err := source(context.Background(), keys.Call{Operation: "confirmOrder"})
	fmt.Println(key, err)
	// Output: order-confirm-1042 <nil>
}

// A message that is delivered twice makes its calls under the same keys.
func ExampleWithRequest() {
	ctx := keys.WithRequest(context.Background(), "message.7")
	source, _ := keys.Request(ctx)

	for range 2 {
		key, _ := source(ctx, keys.Call{Operation: "chargeCard"})
		fmt.Println(key)
	}
	// Output:
	// chargeCard-message.7--1
	// chargeCard-message.7--2
}

func ExampleRule_Validate() {
	err := keys.Rule{MaxLength: 64}.Validate("two words")

	var invalid *keys.InvalidError

	fmt.Println(errors.As(err, &invalid), err)
	// Output: true keys: invalid idempotency key: byte 3 is not printable ASCII
}
