package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Fingerprint tells one request from another under the same key.
type Fingerprint [sha256.Size]byte

// String is the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// MarshalText writes the fingerprint in hexadecimal.
func (f Fingerprint) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, f[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fingerprint) UnmarshalText(text []byte) error { return unmarshalHex(f[:], text) }

// FingerprintFunc makes the fingerprint of a request whose body has been read. An error refuses the request with 400.
type FingerprintFunc func(r *http.Request, body []byte) (Fingerprint, error)

// RawFingerprint covers method, path, query, the named headers and the body byte for byte. Two texts of the same
// JSON value are two payloads: a client repeats the bytes that it sent.
func RawFingerprint(headers ...string) FingerprintFunc {
	headers = canonicalHeaders(headers)
	return func(r *http.Request, body []byte) (Fingerprint, error) {
		return digest(r, headers, 'r', body), nil
	}
}

// CanonicalJSON covers the same as RawFingerprint, but a JSON body by its value: white space and the order of
// members do not count. Numbers keep their text, so that 1, 1.0 and "1" differ. A body that is not JSON, or that
// names a member twice, counts byte for byte.
func CanonicalJSON(headers ...string) FingerprintFunc {
	headers = canonicalHeaders(headers)
	return func(r *http.Request, body []byte) (Fingerprint, error) {
		value, err := decodeUnique(body)
		if err != nil {
			return digest(r, headers, 'r', body), nil //nolint:nilerr // what is not JSON counts byte for byte
		}
		text, err := json.Marshal(value) // sorts members
		if err != nil {
			return Fingerprint{}, fmt.Errorf("canonical form of the body: %w", err)
		}
		return digest(r, headers, 'c', text), nil
	}
}

// JSONFields covers method, path, query and the values of the named members of a JSON object, each name a path with
// dots. For protocols whose envelope changes from attempt to attempt (the id of JSON-RPC). A body that is not a JSON
// object is refused; a member that is absent differs from one that is null.
func JSONFields(names ...string) FingerprintFunc {
	names = slices.Sorted(slices.Values(names))
	return func(r *http.Request, body []byte) (Fingerprint, error) {
		value, err := decodeUnique(body)
		if err != nil {
			return Fingerprint{}, fmt.Errorf("body: %w", err)
		}
		root, ok := value.(map[string]any)
		if !ok {
			return Fingerprint{}, errors.New("body: not a JSON object")
		}
		picked := make(map[string]any, len(names))
		for _, name := range names {
			if v, ok := memberAt(root, strings.Split(name, ".")); ok {
				picked[name] = v
			}
		}
		text, err := json.Marshal(picked)
		if err != nil {
			return Fingerprint{}, fmt.Errorf("members of the body: %w", err)
		}
		return digest(r, nil, 'f', text), nil
	}
}

func canonicalHeaders(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = http.CanonicalHeaderKey(name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// digest writes every part with its length before it: no choice of path, query or header can imitate another.
func digest(r *http.Request, headers []string, kind byte, body []byte) Fingerprint {
	h := sha256.New()
	scratch := make([]byte, 0, 64)
	h.Write(append(scratch, kind))
	part(h, scratch, r.Method)
	part(h, scratch, r.URL.EscapedPath())
	part(h, scratch, r.URL.RawQuery)
	for _, name := range headers {
		values := r.Header[name]
		h.Write(binary.BigEndian.AppendUint32(scratch, uint32(len(values)))) //nolint:gosec // bounded by net/http
		for _, v := range values {
			part(h, scratch, v)
		}
	}
	h.Write(binary.BigEndian.AppendUint64(scratch, uint64(len(body))))
	h.Write(body)
	var out Fingerprint
	h.Sum(out[:0])
	return out
}

func part(h hash.Hash, scratch []byte, s string) {
	scratch = binary.BigEndian.AppendUint32(scratch, uint32(len(s))) //nolint:gosec // bounded by net/http
	h.Write(append(scratch, s...))
}

func memberAt(node any, path []string) (any, bool) {
	for _, name := range path {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if node, ok = object[name]; !ok {
			return nil, false
		}
	}
	return node, true
}

var errDuplicateMember = errors.New("JSON object names a member twice")

// decodeUnique reads one JSON value, numbers by their text, and refuses duplicate members, which encoding/json would
// merge in silence.
func decodeUnique(body []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	value, err := decodeValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

func decodeValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, fmt.Errorf("not JSON: %w", err)
			}
			text, _ := name.(string)
			if _, twice := object[text]; twice {
				return nil, errDuplicateMember
			}
			if object[text], err = decodeValue(dec); err != nil {
				return nil, err
			}
		}
		_, err := dec.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			item, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}
