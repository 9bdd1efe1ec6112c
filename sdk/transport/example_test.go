package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// On a plain http.Client: GETs are retried as they are, POSTs under a key that
// the server is known to honour.
func ExampleNew() {
	network := retrytest.NewTransport(
		retrytest.Drop(), retrytest.Answer(http.StatusCreated).Text("created"))

	client := &http.Client{Transport: transport.New(network,
		transport.WithKeyedMethods(http.MethodPost),
		transport.WithLogger(slog.New(slog.DiscardHandler)))}

	resp, err := client.Post("https://api.test/orders", "application/json", strings.NewReader(`{"item":1}`))
	if err != nil {
		fmt.Println(err)

		return
	}
	defer resp.Body.Close()

	body, _ := io.ReadAll(resp.Body)
	outcome, _ := transport.OutcomeOf(resp)
	fmt.Println(resp.StatusCode, string(body), "attempts:", outcome.Attempts)

	first, second := network.Requests()[0], network.Requests()[1]
	fmt.Println("one key:", first.Header.Get("Idempotency-Key") == second.Header.Get("Idempotency-Key"))
	// Output:
	// 201 created attempts: 2
	// one key: true
}

// Options of one call travel in its context and win over those of the
// transport.
func ExampleWithCall() {
	network := retrytest.NewTransport(retrytest.Answer(http.StatusServiceUnavailable))
	client := &http.Client{Transport: transport.New(network, transport.WithLogger(nil))}

	ctx := transport.WithCall(context.Background(), transport.WithMaxAttempts(1))
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.test/", nil)

	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)

		return
	}

	failure := transport.ErrorOf(resp)
	fmt.Println(failure)
	// Output: GET /: 503 Service Unavailable (attempts: 1, stopped by: attempts)
}

// The key is written down before the call, so a program that dies in the
// middle takes the call up again under the same key, and the server does the
// work once.
func Example_resumeAfterACrash() {
	dir, _ := os.MkdirTemp("", "journal")
	defer os.RemoveAll(dir)

	journal := filepath.Join(dir, "order-1042.key")
	network := retrytest.NewTransport(retrytest.Drop())
	pay := func() error {
		key, err := os.ReadFile(journal)
		if errors.Is(err, os.ErrNotExist) {
			fresh, keyErr := keys.UUID()(context.Background(), keys.Call{})
			if keyErr != nil {
				return keyErr
			}

			key = []byte(fresh)
			err = os.WriteFile(journal, key, 0o600)
		}

		if err != nil {
			return err
		}

		client := &http.Client{Transport: transport.New(network, transport.WithLogger(nil))}
		ctx := transport.WithCall(context.Background(), transport.WithIdempotencyKey(string(key)))
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.test/payments", strings.NewReader(`{"order":1042}`))

		resp, err := client.Do(req)
		if err != nil {
			return err
		}

		defer resp.Body.Close()

		return os.Remove(journal)
	}

	var failure *transport.Error
	fmt.Println("first run:", errors.As(pay(), &failure), "attempts:", failure.Attempts)

	// The program starts again; the network is well.
	network.Play(retrytest.Answer(http.StatusCreated))
	fmt.Println("second run:", pay())

	all := network.Requests()
	fmt.Println("one key:", all[0].Header.Get("Idempotency-Key") == all[len(all)-1].Header.Get("Idempotency-Key"))
	// Output:
	// first run: true attempts: 3
	// second run: <nil>
	// one key: true
}
