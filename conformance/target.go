package conformance

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"
)

// Target is a server under test.
type Target struct {
	// URL is the server's base.
	URL string
	// Paths by name. "create" is required: a POST with an effect. Others are named in the cases: other, item1, item2,
	// optional, waiting, short, phased, long_keys.
	Paths map[string]string
	// Body makes a request's body of a variant (A, B, invalid) that holds the marker, with its media type. Nil for a
	// variant that there is not.
	Body func(marker, variant string) (mediaType string, body []byte)
	// Effects counts the effects of the requests that held the marker, by reading them back from the system.
	Effects func(ctx context.Context, marker string) (int, error)
	// Authorize signs a request as the named caller: A, B, bad, revocable, or the names in a case. Nil: one caller.
	Authorize func(r *http.Request, caller string)
	// Callers are the names that Authorize knows. Nil: all.
	Callers []string
	// Fault asks the server for a fault in this request. Nil: none can be had.
	Fault func(r *http.Request, name, value string)
	// Hooks by name: kill, restart, break_store, break_completion, heal_store, reap, revoke, expect_complete.
	Hooks map[string]func(ctx context.Context) error
	// Offers names what else the cases may need: named_callers, optional, waiting, short_window, phases, and so on.
	Offers []string
	// Header carries the key. Defaults to Idempotency-Key.
	Header string
	// Marker is the header of a replay. Defaults to Idempotent-Replayed.
	Marker string
	// Reused and InProgress are the machine codes. Default to those of package idempotency.
	Reused, InProgress string
	// Lease and Window are the server's lease and the replay window of the path "short".
	Lease, Window time.Duration
	// Resolve reports the address anew after a restart. Nil: it stays.
	Resolve func() string
}

func (t Target) withDefaults() (Target, error) {
	if t.URL == "" || t.Paths["create"] == "" || t.Body == nil || t.Effects == nil {
		return t, errors.New("conformance: a target needs URL, Paths[create], Body and Effects")
	}
	for field, value := range map[*string]string{
		&t.Header: "Idempotency-Key", &t.Marker: "Idempotent-Replayed",
		&t.Reused: "idempotency_key_reused", &t.InProgress: "idempotency_in_progress",
	} {
		if *field == "" {
			*field = value
		}
	}
	return t, nil
}

// missing names the first need of the case that the target does not meet.
func (t Target) missing(c Case) string {
	for _, need := range c.Needs {
		_, hook := t.Hooks[need]
		switch {
		case hook, slices.Contains(t.Offers, need), need == "faults" && t.Fault != nil, need == "callers" && t.Authorize != nil:
			continue
		}
		return need
	}
	for _, step := range c.Steps {
		for _, send := range step.sends() {
			if need := t.lacks(send); need != "" {
				return need
			}
		}
		if _, ok := t.Hooks[step.Hook]; step.Hook != "" && !ok {
			return "hook " + step.Hook
		}
	}
	return ""
}

// lacks names what a request needs and the target does not have.
func (t Target) lacks(s *Send) string {
	if _, ok := t.Paths[s.path()]; !ok {
		return "path " + s.path()
	}
	if t.Authorize != nil && t.Callers != nil && !slices.Contains(t.Callers, s.caller()) {
		return "caller " + s.caller()
	}
	_, body := t.Body("marker", s.variant())
	switch {
	case body == nil:
		return "body " + s.variant()
	case s.Reorder && reorder(body) == nil:
		return "a body with members"
	}
	return ""
}

func (s Step) sends() []*Send {
	var all []*Send
	for _, send := range []*Send{s.Send, s.Start} {
		if send != nil {
			all = append(all, send)
		}
	}
	for _, burst := range []*Burst{s.Parallel, s.Stagger} {
		if burst != nil {
			all = append(all, &burst.Send)
		}
	}
	return all
}

func (s Send) path() string    { return cmp.Or(s.To, "create") }
func (s Send) caller() string  { return cmp.Or(s.Caller, "A") }
func (s Send) variant() string { return cmp.Or(s.Body, "A") }
