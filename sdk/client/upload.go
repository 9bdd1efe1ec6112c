package client

import (
	"io"
	"sync"
)

// reportProgress makes a source of bodies that tells how much of the newest body has been read. A new body begins at 0:
// it is a new attempt. net/http may go on reading the body of an attempt that is lost; such a reader reports nothing
// more, so that counts never go back but to 0, and calls of report never overlap.
func reportProgress(open func() (io.ReadCloser, error), total int64, report func(sent, total int64)) func() (io.ReadCloser, error) {
	p := &progress{total: total, report: report}
	return func() (io.ReadCloser, error) {
		body, err := open()
		if err != nil {
			return nil, err
		}
		return &progressBody{ReadCloser: body, progress: p, attempt: p.begin()}, nil
	}
}

// progress is what the bodies of one call share.
type progress struct {
	total  int64
	report func(sent, total int64)

	mu      sync.Mutex
	attempt int
	sent    int64
}

func (p *progress) begin() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempt++
	p.sent = 0
	if p.attempt > 1 {
		p.report(0, p.total)
	}
	return p.attempt
}

func (p *progress) add(attempt, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if attempt == p.attempt {
		p.sent += int64(n)
		p.report(p.sent, p.total)
	}
}

type progressBody struct {
	io.ReadCloser

	progress *progress
	attempt  int
}

func (b *progressBody) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	if n > 0 {
		b.progress.add(b.attempt, n)
	}
	return n, err
}
