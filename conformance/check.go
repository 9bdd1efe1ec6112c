package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// check collects everything that is not as expected.
func (r *run) check(ctx context.Context, want Expect) error {
	var errs []error
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	for name, a := range want.Answers {
		add(r.checkAnswer(name, r.answers[name], a))
	}
	bodies := map[string]int{}
	for i, a := range r.burst {
		if want.All != nil {
			add(r.checkAnswer("request "+strconv.Itoa(i+1)+" of the burst", a, *want.All))
		}
		if a.success() {
			bodies[a.body]++
		}
	}
	if want.OneBody && len(bodies) != 1 {
		add(fmt.Errorf("%d different successful answers", len(bodies)))
	}
	if limit := want.WallMillis; limit > 0 && r.wall.Milliseconds() > int64(limit) {
		add(fmt.Errorf("took %v, at most %d ms expected", r.wall, limit))
	}
	if effects := want.Effects; effects != nil {
		kept := r.answers[want.NoneIfKept]
		if kept.status >= http.StatusInternalServerError && kept.marked(r.target.Marker) {
			effects = &Range{0, effects.Max}
		}
		add(r.checkEffects(ctx, r.id, *effects))
	}
	if want.PerKey {
		for _, marker := range r.markers {
			add(r.checkEffects(ctx, marker, Range{1, 1}))
		}
	}
	if len(errs) > 5 {
		errs = append(errs[:5], fmt.Errorf("and %d more", len(errs)-5))
	}
	return errors.Join(errs...)
}

func (r *run) checkEffects(ctx context.Context, marker string, want Range) error {
	n, err := r.target.Effects(ctx, marker)
	switch {
	case err != nil:
		return fmt.Errorf("count effects: %w", err)
	case n < want.Min || n > want.Max:
		return fmt.Errorf("%d effects, expected %d to %d", n, want.Min, want.Max)
	}
	return nil
}

func (r *run) checkAnswer(name string, got answer, want Answer) error {
	if got.err != nil {
		return fmt.Errorf("%s: no answer: %w", name, got.err)
	}
	if len(want.Status) > 0 && !matches(got.status, want.Status) {
		return fmt.Errorf("%s: status %d, expected %s; body %.200s", name, got.status, strings.Join(want.Status, " or "), got.body)
	}
	codes := map[string]string{"reused": r.target.Reused, "in_progress": r.target.InProgress}
	if want.Code != "" && got.code() != codes[want.Code] {
		return fmt.Errorf("%s: status %d, code %q, expected %q", name, got.status, got.code(), codes[want.Code])
	}
	if want.NotCode != "" && got.code() == codes[want.NotCode] {
		return fmt.Errorf("%s: code %q", name, got.code())
	}
	if want.Marked != nil && got.marked(r.target.Marker) != *want.Marked {
		return fmt.Errorf("%s: %s is %q", name, r.target.Marker, got.header.Get(r.target.Marker))
	}
	if err := r.checkHeader(name, got, want); err != nil {
		return err
	}
	if other := r.answers[want.SameAs]; want.SameAs != "" && (got.status != other.status || got.body != other.body) {
		return fmt.Errorf("%s is %d %.100q, %s is %d %.100q", name, got.status, got.body, want.SameAs, other.status, other.body)
	}
	if want.DiffersFrom != "" && got.body == r.answers[want.DiffersFrom].body {
		return fmt.Errorf("%s has the body of %s", name, want.DiffersFrom)
	}
	for _, text := range want.Excludes {
		if leak := r.leak(got.body, text); leak != "" {
			return fmt.Errorf("%s shows %s", name, leak)
		}
	}
	if want.IfSuccess != nil && got.success() {
		return r.checkAnswer(name, got, *want.IfSuccess)
	}
	return nil
}

func matches(status int, patterns []string) bool {
	text := strconv.Itoa(status)
	for _, p := range patterns {
		if p == text || (strings.HasSuffix(p, "xx") && p[0] == text[0]) {
			return true
		}
	}
	return false
}

func (r *run) checkHeader(name string, got answer, want Answer) error {
	for header, value := range want.Header {
		have := got.header.Values(header)
		switch {
		case value == "present" && len(have) > 0, value == "absent" && len(have) == 0:
		case value == "fresh" && later(got, r.answers[want.SameAs]):
		case len(have) == 1 && have[0] == value:
		default:
			return fmt.Errorf("%s: %s is %q, expected %s", name, header, have, value)
		}
	}
	for _, header := range want.SameHeaders {
		if first := r.answers[want.SameAs].header.Values(header); !reflect.DeepEqual(got.header.Values(header), first) {
			return fmt.Errorf("%s: %s is %q, was %q", name, header, got.header.Values(header), first)
		}
	}
	return nil
}

// later says that an answer was made later than the other one, going by the server's own clock.
func later(a, than answer) bool {
	date, err := http.ParseTime(a.header.Get("Date"))
	before, err2 := http.ParseTime(than.header.Get("Date"))
	return err == nil && err2 == nil && date.After(before)
}

// leak says what of a text, of the values of another answer, of the digests of another request, or of a key shows.
func (r *run) leak(body, text string) string {
	kind, name, special := strings.Cut(text, ":")
	switch {
	case !special:
		if strings.Contains(body, text) {
			return text
		}
	case kind == "KEY":
		if strings.Contains(body, r.keys[name]) {
			return "the key"
		}
	case kind == "DIGEST":
		sum := sha256.Sum256(r.answers[name].sent)
		if strings.Contains(body, hex.EncodeToString(sum[:])) || strings.Contains(body, base64.StdEncoding.EncodeToString(sum[:])) {
			return "a digest of the request of " + name
		}
	case kind == "BODY":
		var members map[string]any
		if json.Unmarshal([]byte(r.answers[name].body), &members) != nil {
			return ""
		}
		for member, value := range members {
			if s, ok := value.(string); ok && len(s) > 3 && strings.Contains(body, s) {
				return "the value of " + member + " of " + name
			}
		}
	}
	return ""
}
