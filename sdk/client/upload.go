package client

import (
	"fmt"
	"io"
	"net/http"
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

// rewindable makes a source of bodies of what r holds from where it stands to its end. False says that r can be read
// once only. The bodies do not disturb each other: one that net/http still holds after its attempt is lost does not move
// the position of the next.
func rewindable(r io.Reader) (open func() (io.ReadCloser, error), length int64, ok bool, err error) {
	seeker, ok := r.(io.Seeker)
	if !ok {
		return nil, -1, false, nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil { // a pipe behind an *os.File
		return nil, -1, false, nil //nolint:nilerr // it can be read, only not twice
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = seeker.Seek(start, io.SeekStart)
	}
	if err != nil {
		return nil, -1, false, fmt.Errorf("the body cannot be measured: %w", err)
	}
	if at, is := r.(io.ReaderAt); is {
		return func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(at, start, end-start)), nil
		}, end - start, true, nil
	}
	shared := &sharedReader{reader: r, seeker: seeker, start: start}
	return shared.open, end - start, true, nil
}

// sharedReader lends one reader to one body at a time, the newest.
type sharedReader struct {
	reader io.Reader
	seeker io.Seeker
	start  int64

	mu   sync.Mutex
	body *sharedBody
}

func (s *sharedReader) open() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.seeker.Seek(s.start, io.SeekStart); err != nil {
		return nil, fmt.Errorf("the body cannot be rewound: %w", err)
	}
	s.body = &sharedBody{from: s}
	return s.body, nil
}

type sharedBody struct{ from *sharedReader }

func (b *sharedBody) Read(buf []byte) (int, error) {
	b.from.mu.Lock()
	defer b.from.mu.Unlock()
	if b.from.body != b {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.from.reader.Read(buf)
}

func (b *sharedBody) Close() error {
	b.from.mu.Lock()
	defer b.from.mu.Unlock()
	if b.from.body == b {
		b.from.body = nil
	}
	return nil
}
