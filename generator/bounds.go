package generator

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The bounds of a run where Options names none. Documents of 8 MB and 600 operations need seconds and less than 1 GiB.
const (
	defaultMaxTime   = 5 * time.Minute
	defaultMaxMemory = 4 << 30
)

// memoryEvery is how often the heap is looked at during a step.
const memoryEvery = 50 * time.Millisecond

// BoundError is a run that was given up because it took more time or memory than it may. Nothing was written.
type BoundError struct {
	Step  string // the step that was given up: load, normalise, plan or render
	Bound string // "5m0s" or "4096 MiB"
	Flag  string // the flag that raises the bound
}

// Error says which step took too much and what to do.
func (e *BoundError) Error() string {
	return fmt.Sprintf("the step %q took more than %s and was given up; nothing was written. Raise the bound with %s, choose a part of the document with --tags or "+
		"--operations, or look for what repeats itself in the document", e.Step, e.Bound, e.Flag)
}

// errTime is the cause of a context whose time is over, as opposed to the caller's.
var errTime = errors.New("the time of the run is over")

// bounded gives ctx the time of the run.
func (o *Options) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.MaxTime == 0 {
		o.MaxTime = defaultMaxTime
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = defaultMaxMemory
	}
	return context.WithTimeoutCause(ctx, o.MaxTime, errTime)
}

// step runs one step within the bounds of the run and turns a crash into an error: a document must neither crash the
// tool nor make it hang. A step that is given up ends when it gets to its end; its result is dropped.
func step(ctx context.Context, opts Options, name string, run func() error) error {
	if err := stopped(ctx, opts, name); err != nil {
		return err
	}
	if opts.Progress != nil {
		opts.Progress(name)
	}
	done := make(chan error, 1)
	go func() { done <- caught(name, run) }()
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	before := heap()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return stopped(ctx, opts, name)
		case <-tick.C:
			if now := heap(); now > before && now-before > opts.MaxMemory {
				return &BoundError{Step: name, Bound: fmt.Sprintf("%d MiB", opts.MaxMemory>>20), Flag: "--max-memory"}
			}
		}
	}
}

// stopped is the error of a context that has ended, by the caller or by the bound.
func stopped(ctx context.Context, opts Options, name string) error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errTime):
		return &BoundError{Step: name, Bound: opts.MaxTime.String(), Flag: "--max-time"}
	default:
		return fmt.Errorf("stopped in the step %q: %w", name, err)
	}
}

func caught(name string, run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{Step: name, Value: r, Stack: debug.Stack()}
		}
	}()
	return run()
}

// heap gives the bytes of objects on the heap, live or not yet swept.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
