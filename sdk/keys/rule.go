package keys

import (
	"fmt"
	"regexp"
	"sync"
)

// DefaultMaxLength is the longest key where an operation declares no limit of
// its own; it is the most common limit among vendors (Stripe, Telnyx, Zuora).
const DefaultMaxLength = 255

// Rule holds the limits that an operation puts on its keys.
type Rule struct {
	// MinLength and MaxLength bound the length in characters. Zero means 1
	// and 255.
	MinLength, MaxLength int
	// Pattern is a regular expression that the key must match, anchored only
	// where it says so. Empty means printable ASCII without spaces.
	Pattern string
}

// InvalidError says why a key cannot be sent. No request was made.
type InvalidError struct {
	// Problem is the reason in words, without the key itself.
	Problem string
}

// Error implements error.
func (e *InvalidError) Error() string { return "keys: invalid idempotency key: " + e.Problem }

// Validate returns an [*InvalidError] when key must not be sent: it is empty,
// longer or shorter than allowed, holds a control character, a space or
// anything outside ASCII, or does not match the pattern.
func (r Rule) Validate(key string) error {
	longest := r.MaxLength
	if longest <= 0 {
		longest = DefaultMaxLength
	}

	switch {
	case key == "":
		return &InvalidError{Problem: "it is empty"}
	case len(key) > longest:
		return &InvalidError{Problem: fmt.Sprintf("it has %d characters, at most %d are allowed", len(key), longest)}
	case len(key) < r.MinLength:
		return &InvalidError{Problem: fmt.Sprintf("it has %d characters, at least %d are needed", len(key), r.MinLength)}
	}

	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return &InvalidError{Problem: fmt.Sprintf("byte %d is not printable ASCII", i)}
		}
	}

	if r.Pattern == "" {
		return nil
	}

	pattern, err := compile(r.Pattern)
	if err != nil {
		return fmt.Errorf("keys: pattern of the operation: %w", err)
	}

	if !pattern.MatchString(key) {
		return &InvalidError{Problem: "it does not match " + r.Pattern}
	}

	return nil
}

func (r Rule) fits(key string) bool { return r.Validate(key) == nil }

// patterns keeps compiled patterns: they come from generated code, so there
// are few.
var patterns sync.Map

func compile(pattern string) (*regexp.Regexp, error) {
	if known, ok := patterns.Load(pattern); ok {
		if re, ok := known.(*regexp.Regexp); ok {
			return re, nil
		}
	}

	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}

	patterns.Store(pattern, re)

	return re, nil
}
