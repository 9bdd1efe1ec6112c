package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const fetchTimeout = 10 * time.Second

// remote reads a document of another host: the kept copy when there is one, else the host, once.
func (l *loader) remote(address string, from Position) (*File, error) {
	if f := l.files[address]; f != nil {
		return f, nil
	}
	if !l.opts.AllowRemote {
		return nil, Errorf(from, "remote-ref", "the document refers to %s, and other hosts are not asked by default; allow it with --allow-remote-refs", address)
	}
	kept, err := l.keptAt(address)
	if err != nil {
		return nil, Errorf(from, "remote-ref", "there is no place to keep the copy of %s: %v", address, err)
	}
	if data, err := os.ReadFile(kept); err == nil { //nolint:gosec // a name that is made here
		return l.add(address, address, data)
	}
	data, err := l.fetch(address)
	if err != nil {
		return nil, Errorf(from, "remote-ref", "%s cannot be fetched and no copy of it is kept: %v", address, err)
	}
	file, err := l.add(address, address, data)
	if err != nil {
		return nil, err
	}
	if err := keep(kept, data); err != nil {
		return nil, Errorf(from, "remote-ref", "the copy of %s cannot be kept: %v", address, err)
	}
	return file, nil
}

func (l *loader) keptAt(address string) (string, error) {
	dir := l.opts.CacheDir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache folder of the user: %w", err)
		}
		dir = filepath.Join(base, "retrysafe")
	}
	sum := sha256.Sum256([]byte(address))
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, path.Base(address))
	if len(name) > 60 {
		name = name[len(name)-60:]
	}
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+"-"+name), nil
}

func keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return fmt.Errorf("making the file: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if _, err := tmp.Write(data); err != nil {
		_ = tmp.Close()
		return fmt.Errorf("writing: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("putting it in place: %w", err)
	}
	return nil
}

func (l *loader) fetch(address string) ([]byte, error) {
	client := l.opts.Client
	if client == nil {
		client = &http.Client{Timeout: fetchTimeout}
	}
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the host: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the host answered %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	return data, nil
}
