package generator_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/generator"
)

// A step that never ends is given up when the time of the run is over, and at once when the caller gives up.
func TestBoundOfTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		never, end := io.Pipe()
		defer func() { _ = end.Close() }()
		start := time.Now()
		_, err := generator.Plan(t.Context(), generator.Options{Spec: "-", Stdin: never, Package: "sdk", Out: "unused", MaxTime: time.Minute})
		var bound *generator.BoundError
		if !errors.As(err, &bound) || bound.Step != "load" || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if err == nil || !strings.Contains(err.Error(), "1m0s") || !strings.Contains(err.Error(), "--max-time") {
			t.Errorf("the message does not say what to do: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		never, end := io.Pipe()
		defer func() { _ = end.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := generator.Plan(ctx, generator.Options{Spec: "-", Stdin: never, Package: "sdk", Out: "unused"})
		var bound *generator.BoundError
		if errors.As(err, &bound) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's deadline: %v", err)
		}
	})
}

// blanks is a document without an end, until it is told to stop.
type blanks struct{ stop atomic.Bool }

func (b *blanks) Read(p []byte) (int, error) {
	if b.stop.Load() {
		return 0, io.EOF
	}
	return copy(p, strings.Repeat(" ", len(p))), nil
}

func TestBoundOfMemory(t *testing.T) {
	endless := &blanks{}
	defer endless.stop.Store(true)
	_, err := generator.Plan(context.Background(), generator.Options{Spec: "-", Stdin: endless, Package: "sdk", Out: "unused", MaxMemory: 64 << 20})
	var bound *generator.BoundError
	if !errors.As(err, &bound) || bound.Bound != "64 MiB" || !strings.Contains(err.Error(), "--max-memory") {
		t.Errorf("%v", err)
	}
}
