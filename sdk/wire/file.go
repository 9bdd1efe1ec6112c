package wire

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File is content that is sent as it is: a part of a multipart body or a whole body.
type File struct {
	Name string // sent as the file name of a part; a path is not taken apart
	// ContentType "" means the type that the document declares for the part; of several, the one that the ending of Name
	// stands for; else application/octet-stream.
	ContentType string
	// Content is read once, and again after a rewind if it is an io.Seeker. It is not closed.
	Content io.Reader
	// Open gives the content anew for every attempt. When set, Content is not used.
	Open func() (io.ReadCloser, error)
	Size int64 // in bytes; 0 is not known

	inMemory bool
	text     []byte // the content when it is in memory
}

// FromBytes makes a File of bytes, which must not change until the call is over.
func FromBytes(name string, content []byte) *File {
	return &File{
		Name: name,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		Size: int64(len(content)),

		inMemory: true,
		text:     content,
	}
}

// FromReader makes a File of a reader. A call can be tried again only if the reader is an io.Seeker.
func FromReader(name string, content io.Reader) *File {
	return &File{Name: name, Content: content}
}

// FromFile makes a File of a file on disk, opened for every attempt and named without its folder.
func FromFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	return &File{
		Name: filepath.Base(path),
		Open: func() (io.ReadCloser, error) { return os.Open(path) }, //nolint:gosec // the caller's own path
		Size: info.Size(),
	}, nil
}
