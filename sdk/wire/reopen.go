package wire

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Reopen makes a source of bodies of what r holds from where it stands to its end. False says that r can be read
// once only. The bodies do not disturb each other: one that net/http still holds after its attempt is lost does not move
// the position of the next. A nil r is not allowed. The source is safe for concurrent use, r itself belongs to it from
// now on.
func Reopen(r io.Reader) (open func() (io.ReadCloser, error), size int64, ok bool, err error) {
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
		return nil, -1, false, fmt.Errorf("wire: measure a body: %w", err)
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
		return nil, fmt.Errorf("wire: rewind a body: %w", err)
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
