package client

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/keys"
)

// Event is what an event-derived key is made of: literals at even places and values of the call at odd ones, as
// {"order-confirm-", body.OrderRef}. When a value is missing or empty the event has no key of its own.
type Event []any

// source gives the key of the event: readable where that is unmistakable and within the operation's limits, hashed
// where it is not; nil when a value is missing.
func (e Event) source() keys.Source {
	if len(e) == 0 {
		return nil
	}
	var readable, template strings.Builder
	var values []string
	plain := true
	for i, part := range e {
		s, ok := eventPart(part)
		if !ok || s == "" && i%2 == 1 {
			return nil
		}
		readable.WriteString(s)
		if i%2 == 0 {
			template.WriteString(s)
			plain = plain && (i == 0 || i == len(e)-1 || separates(s))
			continue
		}
		template.WriteString("{}")
		values = append(values, s)
	}
	if len(values) == 0 {
		return nil
	}
	for _, v := range values {
		plain = plain && (len(values) == 1 || strings.IndexFunc(v, notWord) < 0)
	}
	hashed := keys.Event(template.String(), values...)
	return func(ctx context.Context, call keys.Call) (string, error) {
		if plain && call.Rule.Validate(readable.String()) == nil {
			return readable.String(), nil
		}
		return hashed(ctx, call)
	}
}

// separates tells that a literal between two values cannot be mistaken for a part of either.
func separates(literal string) bool { return strings.IndexFunc(literal, notWord) >= 0 }

func notWord(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// eventPart is a value as it stands in a key; false when it is missing.
func eventPart(part any) (string, bool) {
	v := indirect(reflect.ValueOf(part))
	switch v.Kind() {
	case reflect.Invalid:
		return "", false
	case reflect.Struct:
		if s, ok := reflect.TypeAssert[fmt.Stringer](v); ok {
			return s.String(), true
		}
		return "", false
	case reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return "", false
	default:
		return fmt.Sprint(v.Interface()), true
	}
}

// makeKey settles a key that travels in the query or in the body: the caller's, the event's, the context's, a new one.
func (x *exchange) makeKey(ctx context.Context, in *Input) (string, error) {
	limits := x.op.Call.Key
	call := keys.Call{
		Operation: x.op.Call.ID,
		Rule:      keys.Rule{MinLength: limits.MinLength, MaxLength: limits.MaxLength, Pattern: limits.Pattern},
	}
	for _, given := range []string{x.set.key, getKey(in.Key)} {
		if given != "" {
			return given, call.Rule.Validate(given)
		}
	}
	if x.set.source != nil {
		return x.set.source(ctx, call)
	}
	if source := in.Event.source(); source != nil {
		return source(ctx, call)
	}
	if source, ok := keys.Request(ctx); ok {
		return source(ctx, call)
	}
	return keys.UUID()(ctx, call)
}

func setKey(field any, key string) {
	switch f := field.(type) {
	case *string:
		*f = key
	case **string:
		*f = &key
	}
}

func getKey(field any) string {
	switch f := field.(type) {
	case *string:
		return *f
	case **string:
		if *f != nil {
			return **f
		}
	}
	return ""
}
