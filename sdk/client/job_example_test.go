package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

type Export struct {
	Status string `json:"status"`
	URL    string `json:"url,omitempty"`
}

func serveExports(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		w.Header().Set("Location", "/exports/7")
		w.Header().Set("Retry-After", "0.01")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status": "running"}`)
		return
	}
	_, _ = io.WriteString(w, `{"status": "succeeded", "url": "/files/7.csv"}`)
}

// The token is stored beside the intent, so that a process that was restarted waits for the same job.
func ExampleStart() {
	c, done := exampleClient(serveExports)
	defer done()
	ctx := context.Background()
	op := client.Operation{
		Call: transport.Operation{ID: "createExport", Method: http.MethodPost, Path: "/exports"},
		Job:  &client.Job{Status: []string{"Status"}},
	}
	task, err := client.Start[Export, Export](ctx, c, &op, client.Input{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := task.Token()

	task, err = client.Resume[Export, Export](c, &op, stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	export, err := task.Wait(ctx)
	fmt.Println(export.URL, err)
	// Output: /files/7.csv <nil>
}

// Where an operation reads the status by an id, the id is all that another process needs.
func ExampleWait() {
	c, done := exampleClient(serveExports)
	defer done()
	op := client.Operation{
		Call: transport.Operation{ID: "getExport", Method: http.MethodGet, Path: "/exports/{id}"},
		Job:  &client.Job{Status: []string{"Status"}},
	}
	export, err := client.Wait[Export](context.Background(), c, &op, client.Input{Path: []any{"7"}}, nil)
	fmt.Println(export.URL, err)
	// Output: /files/7.csv <nil>
}
