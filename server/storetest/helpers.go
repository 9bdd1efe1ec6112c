package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

const (
	leaseTime  = 30 * time.Second
	windowTime = time.Hour
)

// request makes a request of a fresh scope. Resumable ones have a lease in every store.
func request(resumable bool) idempotency.Request {
	req := idempotency.Request{
		Scope:       idempotency.Scope{Caller: "caller-" + rand.Text(), Operation: "POST /orders", Key: rand.Text()},
		Fingerprint: sha256.Sum256([]byte("payload")),
		Lease:       leaseTime, Window: windowTime, Resumable: resumable,
	}
	if resumable {
		req.Payload = []byte(`{"method":"POST"}`)
	}
	return req
}

func otherPayload(req idempotency.Request) idempotency.Request {
	req.Fingerprint = sha256.Sum256([]byte("another payload"))
	return req
}

func response(status int, body string) idempotency.Response {
	return idempotency.Response{Status: status, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(body)}
}

// mustClaim returns the claim, or an error that says what stood in the way.
func mustClaim(ctx context.Context, store idempotency.Store, req idempotency.Request) (idempotency.Claim, error) {
	claim, rec, err := store.Claim(ctx, req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("calling Claim: %w", err)
	case claim == nil:
		return nil, fmt.Errorf("calling Claim was refused by a record in state %q, abandoned %v", rec.State, rec.Abandoned)
	}
	got := claim.Record()
	if got.Scope != req.Scope || got.Fingerprint != req.Fingerprint || got.State != idempotency.InFlight || got.Token == (idempotency.Token{}) {
		return nil, fmt.Errorf("the claim's record is %+v", got)
	}
	return claim, nil
}

// mustRefuse returns the record that stands in the way, or an error when there is none.
func mustRefuse(ctx context.Context, store idempotency.Store, req idempotency.Request) (idempotency.Record, error) {
	claim, rec, err := store.Claim(ctx, req)
	switch {
	case err != nil:
		return rec, fmt.Errorf("calling Claim: %w", err)
	case claim != nil:
		return rec, errors.Join(errors.New("a second claim was given"), claim.Release(ctx))
	}
	return rec, nil
}

// mustReplay checks that the scope holds the answer.
func mustReplay(ctx context.Context, store idempotency.Store, req idempotency.Request, want idempotency.Response) error {
	rec, err := mustRefuse(ctx, store, req)
	if err != nil {
		return err
	}
	if rec.State != idempotency.Complete {
		return fmt.Errorf("state %q, want complete", rec.State)
	}
	if err := sameResponse(rec.Response, want); err != nil {
		return err
	}
	if rec, err = store.Lookup(ctx, req.Scope); err != nil {
		return fmt.Errorf("calling Lookup: %w", err)
	}
	return sameResponse(rec.Response, want)
}

func sameResponse(got, want idempotency.Response) error {
	if got.Status != want.Status || !bytes.Equal(got.Body, want.Body) || got.Dropped != want.Dropped || got.ResourceID != want.ResourceID {
		return fmt.Errorf("answer %+v, want %+v", got, want)
	}
	if len(got.Header)+len(want.Header) > 0 && !reflect.DeepEqual(got.Header, want.Header) {
		return fmt.Errorf("header %v, want %v", got.Header, want.Header)
	}
	return nil
}

func want(err, target error, what string) error {
	if !errors.Is(err, target) {
		return fmt.Errorf("%s returned %q, want %w", what, fmt.Sprint(err), target)
	}
	return nil
}
