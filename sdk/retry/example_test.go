package retry_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// What may follow a 503 that asks for two seconds, with five left.
func ExamplePolicy_Decide() {
	now := time.Now()
	header := http.Header{"Retry-After": {"2"}}

	verdict := retry.ClassifyResponse(http.StatusServiceUnavailable, header, nil, retry.Rules{}, now)
	wait, asked := retry.After(header, now)
	progress := retry.Progress{Attempts: 1, Safe: true, Replayable: true, Left: 5 * time.Second}

	fmt.Println(verdict.Class, retry.DefaultPolicy().Decide(verdict, progress, wait, asked, 0.5))

	progress.Left = time.Second
	fmt.Println(verdict.Class, retry.DefaultPolicy().Decide(verdict, progress, wait, asked, 0.5))
	// Output:
	// overloaded {true 2s }
	// overloaded {false 2s deadline}
}

func ExampleBackoff_Delay() {
	var backoff retry.Backoff

	for i := range 3 {
		fmt.Println(backoff.Delay(i, false, 0, 0.5))
	}
	// Output:
	// 25ms
	// 50ms
	// 100ms
}

func ExampleAfter() {
	for _, value := range []string{"2", "1.5", "-1", "9223372037"} {
		fmt.Println(retry.After(http.Header{"Retry-After": {value}}, time.Now()))
	}
	// Output:
	// 2s true
	// 1.5s true
	// 0s false
	// 0s false
}
