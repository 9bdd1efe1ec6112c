package kvstore

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// form is a record as it is written: its names outlive renamings in Go.
type form struct {
	Caller        string                  `json:"caller"`
	Operation     string                  `json:"operation"`
	Key           string                  `json:"key"`
	Fingerprint   idempotency.Fingerprint `json:"fingerprint"`
	State         idempotency.State       `json:"state"`
	Token         idempotency.Token       `json:"token"`
	Created       time.Time               `json:"created"`
	LockedAt      time.Time               `json:"locked_at"`
	LeaseUntil    time.Time               `json:"lease_until"`
	Expires       time.Time               `json:"expires,omitzero"`
	RecoveryPoint string                  `json:"recovery_point,omitempty"`
	Steps         map[string][]byte       `json:"steps,omitempty"`
	Payload       []byte                  `json:"payload,omitempty"`
	Status        int                     `json:"status,omitempty"`
	Header        http.Header             `json:"header,omitempty"`
	Body          []byte                  `json:"body,omitempty"`
	Dropped       bool                    `json:"dropped,omitempty"`
	ResourceID    string                  `json:"resource_id,omitempty"`
}

func formOf(r idempotency.Record) form {
	return form{
		Caller: r.Scope.Caller, Operation: r.Scope.Operation, Key: r.Scope.Key,
		Fingerprint: r.Fingerprint, State: r.State, Token: r.Token,
		Created: r.Created, LockedAt: r.LockedAt, LeaseUntil: r.LeaseUntil, Expires: r.Expires,
		RecoveryPoint: r.RecoveryPoint, Steps: r.Steps, Payload: r.Payload,
		Status: r.Response.Status, Header: r.Response.Header, Body: r.Response.Body,
		Dropped: r.Response.Dropped, ResourceID: r.Response.ResourceID,
	}
}

func decode(value []byte) (idempotency.Record, error) {
	var f form
	if err := json.Unmarshal(value, &f); err != nil {
		return idempotency.Record{}, err
	}
	return idempotency.Record{
		Scope:       idempotency.Scope{Caller: f.Caller, Operation: f.Operation, Key: f.Key},
		Fingerprint: f.Fingerprint, State: f.State, Token: f.Token,
		Created: f.Created, LockedAt: f.LockedAt, LeaseUntil: f.LeaseUntil, Expires: f.Expires,
		RecoveryPoint: f.RecoveryPoint, Steps: f.Steps, Payload: f.Payload,
		Response: idempotency.Response{
			Status: f.Status, Header: f.Header, Body: f.Body, Dropped: f.Dropped, ResourceID: f.ResourceID,
		},
	}, nil
}
