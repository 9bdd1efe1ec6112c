package wire

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Body is a request body that is read from its parts while it is sent. It is made by [Multipart] and [FileBody].
type Body struct {
	ContentType string
	Len         int64 // in bytes, -1 when it is not known
	Replayable  bool  // it can be opened more than once

	parts []bodyPart
}

// FileBody makes a body that is the file's content and nothing else.
func FileBody(f *File) *Body {
	b := &Body{ContentType: f.ContentType, Replayable: true}
	if b.ContentType == "" {
		b.ContentType = octetStream
	}
	b.addFile(f)
	return b
}

// Open gives the whole body from its beginning. The second time it fails with [ErrNotReplayable] if some part cannot
// be opened again. A body whose parts are rewound must not be opened while an earlier reader is still in use.
func (b *Body) Open() (io.ReadCloser, error) {
	out := &bodyReader{}
	for _, p := range b.parts {
		r, err := p.open()
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		out.readers = append(out.readers, r)
		out.closers = append(out.closers, r)
	}
	return out, nil
}

// bodyPart is a piece of a body. Size is -1 when it is not known.
type bodyPart struct {
	open func() (io.ReadCloser, error)
	size int64
}

func (b *Body) addText(text []byte) {
	b.add(bodyPart{
		open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
		size: int64(len(text)),
	})
}

func (b *Body) addFile(f *File) {
	open, size, replayable := f.source()
	b.Replayable = b.Replayable && replayable
	b.add(bodyPart{open: open, size: size})
}

func (b *Body) add(p bodyPart) {
	b.parts = append(b.parts, p)
	if p.size < 0 || b.Len < 0 {
		b.Len = -1
		return
	}
	b.Len += p.size
}

// source says how the file's content is opened.
func (f *File) source() (open func() (io.ReadCloser, error), size int64, replayable bool) {
	size = f.Size
	if size <= 0 && !f.inMemory {
		size = -1
	}
	if f.Open != nil {
		return f.Open, size, true
	}
	if f.Content == nil {
		return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(nil)), nil }, 0, true
	}
	if l, ok := f.Content.(interface{ Len() int }); ok { // bytes.Reader, bytes.Buffer, strings.Reader
		size = int64(l.Len())
	}
	if open, left, ok, err := Reopen(f.Content); ok || err != nil {
		if err != nil {
			return func() (io.ReadCloser, error) { return nil, err }, -1, false
		}
		return open, left, true
	}
	once := &onceOpener{content: f.Content}
	return once.open, size, false
}

// onceOpener hands out a reader that cannot be rewound.
type onceOpener struct {
	mu      sync.Mutex
	content io.Reader
}

func (o *onceOpener) open() (io.ReadCloser, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.content == nil {
		return nil, ErrNotReplayable
	}
	content := o.content
	o.content = nil
	return io.NopCloser(content), nil
}

// bodyReader reads the parts one after the other.
type bodyReader struct {
	readers []io.Reader
	closers []io.Closer
}

func (r *bodyReader) Read(p []byte) (int, error) {
	for len(r.readers) > 0 {
		n, err := r.readers[0].Read(p)
		if errors.Is(err, io.EOF) {
			r.readers = r.readers[1:]
			err = nil
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
	return 0, io.EOF
}

func (r *bodyReader) Close() error {
	var all error
	for _, c := range r.closers {
		all = errors.Join(all, c.Close())
	}
	r.readers, r.closers = nil, nil
	return all
}
