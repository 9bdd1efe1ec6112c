package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// PathError says that a path for [Client.Call] does not begin with a slash.
type PathError struct {
	Path string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("the path %q is not below the base URL: begin it with a slash", e.Path)
}

// Call makes a call that the document does not have. The path, below the base URL, is sent as it stands and may have a
// query; body is sent as JSON, nil sends none; the JSON of the answer goes into what result points to, nil leaves it
// unread. Credentials, declared errors and options are those of the API. By its method alone it is known whether the
// call may be repeated: one with [WithIdempotencyKey] is also repeated, on the caller's word that the server honours the
// header Idempotency-Key.
func (c *Client) Call(ctx context.Context, method, path string, body, result any, opts []Option) error {
	plain, _, _ := strings.Cut(path, "?")
	op := &Operation{Call: transport.Operation{
		ID: method + " " + plain, Method: method, Path: strings.NewReplacer("{", "%7B", "}", "%7D", "#", "%23").Replace(path),
	}}
	set, err := c.settings(opts)
	if err == nil && !strings.HasPrefix(path, "/") {
		err = &PathError{path}
	}
	if err != nil {
		x := &exchange{client: c, op: op, set: set}
		return x.failed(err)
	}
	if body != nil {
		op.Body = Body{Type: "application/json"}
	}
	if set.key != "" {
		op.Call.Key = &transport.KeyRule{Header: transport.DefaultKeyHeader}
	}
	if result == nil {
		return c.Exec(ctx, op, Input{Body: body}, opts)
	}
	return c.Into(ctx, op, Input{Body: body}, opts, result)
}
