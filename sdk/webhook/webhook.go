// Package webhook checks that a webhook was sent by who it says and was not changed or replayed, by the Standard
// Webhooks specification (https://www.standardwebhooks.com), version 1: HMAC-SHA256 over id, timestamp and body.
//
// Signatures are over the bytes of the body: read it whole and verify it before it is decoded. A webhook may come more
// than once; its id is the same each time, so remember the ids that were handled.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a webhook.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp" // seconds since 1970
	HeaderSignature = "Webhook-Signature" // one or more signatures with spaces between them
)

// Tolerance is how far the timestamp may be from now, before or after: 5 minutes, as the reference implementations
// have it.
const Tolerance = 5 * time.Minute

// What can be wrong. The errors say nothing of the secret or of the expected signature.
var (
	ErrNoSecret    = errors.New("webhook: no secret, or one that is not base64")
	ErrHeaders     = errors.New("webhook: an id, timestamp or signature header is missing or not well formed")
	ErrTooOld      = errors.New("webhook: the timestamp is too old")
	ErrTooNew      = errors.New("webhook: the timestamp is in the future")
	ErrNoSignature = errors.New("webhook: no signature matches")
)

// VerifyFunc checks one webhook; nil means that it is genuine. [Verifier.Verify] is one; a function for another
// provider's scheme takes its place where code that handles webhooks asks for a VerifyFunc.
type VerifyFunc func(header http.Header, body []byte, now time.Time) error

// Verifier checks webhooks against one or more secrets. It is safe for concurrent use.
type Verifier struct {
	macs []macFunc
}

// macFunc gives the MAC of id.timestamp.body. It is a closure so that no print of a Verifier shows the key.
type macFunc func(id, stamp string, body []byte) []byte

// New gives a Verifier that takes signatures made with any of the secrets, so that a secret can be replaced without a
// gap. A secret is base64 with or without the prefix whsec_. With no secret, or a wrong one, the error is [ErrNoSecret].
func New(secrets ...string) (*Verifier, error) {
	if len(secrets) == 0 {
		return nil, ErrNoSecret
	}
	v := &Verifier{}
	for _, s := range secrets {
		mac, err := parseSecret(s)
		if err != nil {
			return nil, err
		}
		v.macs = append(v.macs, mac)
	}
	return v, nil
}

// parseSecret takes keys of any length: that they should have 24 to 64 bytes is a rule for who makes them.
func parseSecret(secret string) (macFunc, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, ErrNoSecret // the decoder's error would print a part of the secret
	}
	return func(id, stamp string, body []byte) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		return mac.Sum(nil)
	}, nil
}

// Verify checks the signature and that the timestamp is within [Tolerance] of now. Signatures of other versions than
// v1 are passed over. All comparisons take the same time whatever they find.
func (v *Verifier) Verify(header http.Header, body []byte, now time.Time) error {
	id, stamp, signatures := header.Get(HeaderID), header.Get(HeaderTimestamp), header.Get(HeaderSignature)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || signatures == "" {
		return ErrHeaders
	}
	switch { // in whole seconds, which do not overflow as a time.Time does
	case seconds < now.Add(-Tolerance).Unix():
		return ErrTooOld
	case seconds > now.Add(Tolerance).Unix():
		return ErrTooNew
	}
	good := false
	for _, mac := range v.macs {
		want := mac(id, stamp, body)
		for s := range strings.SplitSeq(signatures, " ") {
			got, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, "v1,"))
			if strings.HasPrefix(s, "v1,") && err == nil && hmac.Equal(got, want) {
				good = true
			}
		}
	}
	if !good {
		return ErrNoSignature
	}
	return nil
}

// Sign gives the headers of a webhook that [Verifier.Verify] takes, for tests and for senders. An id with a dot is
// refused, since id, timestamp and body are joined by dots.
func Sign(secret, id string, at time.Time, body []byte) (http.Header, error) {
	mac, err := parseSecret(secret)
	if err != nil {
		return nil, err
	}
	if id == "" || strings.Contains(id, ".") {
		return nil, fmt.Errorf("%w: the id is empty or has a dot", ErrHeaders)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, stamp)
	h.Set(HeaderSignature, "v1,"+base64.StdEncoding.EncodeToString(mac(id, stamp, body)))
	return h, nil
}
