package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

func uploadOp() *Operation {
	return &Operation{
		Call: transport.Operation{ID: "putContent", Method: http.MethodPut, Path: "/content"},
		Body: Body{Type: "application/octet-stream", Kind: Binary},
	}
}

// onlyReader hides that a reader can seek.
type onlyReader struct{ io.Reader }

// onlySeeker hides that a reader can read at a place.
type onlySeeker struct{ io.ReadSeeker }

func TestUploadIsReplayedWithItsProgress(t *testing.T) {
	data := testContent(100_000)
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	onDisk, err := wire.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]any{
		"bytes":            data,
		"bytes.Reader":     bytes.NewReader(data),
		"*os.File":         file,
		"io.ReadSeeker":    onlySeeker{bytes.NewReader(data)},
		"wire.FromFile":    onDisk,
		"wire.FromBytes":   wire.FromBytes("content", data),
		"seekable as File": wire.FromReader("content", bytes.NewReader(data)),
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int64
			var got []byte
			c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
				if attempts.Add(1) == 1 { // the first attempt breaks in the middle of the body
					_, _ = io.CopyN(io.Discard, r.Body, 20_000)
					panic(http.ErrAbortHandler)
				}
				got, _ = io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{}`)
			})
			var mu sync.Mutex
			var reports []string
			var last int64
			restarts := 0
			progress := WithUploadProgress(func(sent, total int64) {
				mu.Lock()
				defer mu.Unlock()
				if sent < last {
					restarts++
					if sent != 0 {
						t.Errorf("the count went back from %d to %d", last, sent)
					}
				}
				last = sent
				reports = append(reports, fmt.Sprintf("%d/%d", sent, total))
			})
			if err := c.Exec(t.Context(), uploadOp(), Input{Body: body}, []Option{progress}); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !bytes.Equal(got, data) || attempts.Load() != 2 {
				t.Errorf("the server got %d bytes in attempt %d", len(got), attempts.Load())
			}
			if restarts != 1 || reports[len(reports)-1] != "100000/100000" {
				t.Errorf("%d restarts, last report %s", restarts, reports[len(reports)-1])
			}
		})
	}
}

func TestUploadOfAReaderThatCannotBeRewound(t *testing.T) {
	var attempts, total atomic.Int64
	c := flowClient(t, func(_ http.ResponseWriter, r *http.Request) {
		attempts.Add(1)
		_, _ = io.CopyN(io.Discard, r.Body, 1)
		panic(http.ErrAbortHandler)
	})
	progress := WithUploadProgress(func(_, of int64) { total.Store(of) })
	err := c.Exec(t.Context(), uploadOp(), Input{Body: onlyReader{bytes.NewReader(testContent(100_000))}}, []Option{progress})
	var te *transport.Error
	if !errors.As(err, &te) || te.Reason != transport.ReasonBody || attempts.Load() != 1 {
		t.Errorf("%d attempts, %v", attempts.Load(), err)
	}
	if total.Load() != -1 {
		t.Errorf("a total of %d was reported", total.Load())
	}
}

// A body that net/http still holds after its attempt is lost reports nothing more and moves nothing.
func TestStaleBodies(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"ReaderAt": strings.NewReader("skip0123456789"),
		"Seeker":   onlySeeker{strings.NewReader("skip0123456789")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := io.ReadFull(r, make([]byte, 4)); err != nil {
				t.Fatal(err)
			}
			open, length, ok, err := wire.Reopen(r)
			if err != nil || !ok || length != 10 {
				t.Fatalf("length %d, %t, %v", length, ok, err)
			}
			var reports []int64
			counted := reportProgress(open, length, func(sent, _ int64) { reports = append(reports, sent) })
			stale, err := counted()
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 3)
			if _, err := io.ReadFull(stale, buf); err != nil || string(buf) != "012" {
				t.Fatalf("read %q, %v", buf, err)
			}
			fresh, err := counted()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = stale.Read(buf)
			_ = stale.Close()
			got, err := io.ReadAll(io.LimitReader(fresh, 5))
			if err != nil || string(got) != "01234" {
				t.Errorf("read %q, %v", got, err)
			}
			_, _ = stale.Read(buf)
			rest, err := io.ReadAll(fresh)
			if err != nil || string(rest) != "56789" {
				t.Errorf("then %q, %v", rest, err)
			}
			if want := []int64{3, 0, 5, 10}; !slices.Equal(reports, want) {
				t.Errorf("reports %v, want %v", reports, want)
			}
			_ = fresh.Close()
		})
	}
}

type brokenSeeker struct {
	io.Reader

	whence int
}

func (b brokenSeeker) Seek(_ int64, whence int) (int64, error) {
	if whence == b.whence {
		return 0, errReset
	}
	return 0, nil
}

func TestRewindable(t *testing.T) {
	if _, _, ok, err := wire.Reopen(brokenSeeker{whence: io.SeekCurrent}); ok || err != nil {
		t.Errorf("a pipe: %t, %v", ok, err)
	}
	if _, _, ok, err := wire.Reopen(brokenSeeker{whence: io.SeekEnd}); ok || !errors.Is(err, errReset) {
		t.Errorf("without an end: %t, %v", ok, err)
	}
	if _, length, ok, err := wire.Reopen(onlyReader{}); ok || err != nil || length != -1 {
		t.Errorf("a reader: %d, %t, %v", length, ok, err)
	}
	failing := reportProgress(func() (io.ReadCloser, error) { return nil, errReset }, 1, nil)
	if _, err := failing(); !errors.Is(err, errReset) {
		t.Errorf("a body that does not open: %v", err)
	}
}
