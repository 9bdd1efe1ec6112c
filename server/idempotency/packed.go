package idempotency

import (
	"encoding/binary"
	"net/http"
	"slices"
	"time"
)

// packed is a complete record in one block of bytes, without its scope and its end, which Memory knows.
type packed []byte

// The first bytes of packed.
const (
	packedToken   = len(Fingerprint{})
	packedCreated = packedToken + len(Token{})
	packedLocked  = packedCreated + 8
	packedStatus  = packedLocked + 8
	packedDropped = packedStatus + 4
	packedRest    = packedDropped + 1
)

func pack(rec *Record) packed {
	resp := &rec.Response
	size := packedRest + len(rec.RecoveryPoint) + len(resp.ResourceID) + len(resp.Body) + 4*binary.MaxVarintLen16
	for name, values := range resp.Header {
		size += len(name) + 2*binary.MaxVarintLen16
		for _, value := range values {
			size += len(value) + binary.MaxVarintLen16
		}
	}
	b := make([]byte, 0, size)
	b = append(append(b, rec.Fingerprint[:]...), rec.Token[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(rec.Created.UnixNano()))
	b = binary.BigEndian.AppendUint64(b, uint64(rec.LockedAt.UnixNano()))
	b = binary.BigEndian.AppendUint32(b, uint32(resp.Status)) //nolint:gosec // three digits
	if resp.Dropped {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = appendText(appendText(b, rec.RecoveryPoint), resp.ResourceID)
	b = binary.AppendUvarint(b, uint64(len(resp.Header)))
	for name, values := range resp.Header {
		b = binary.AppendUvarint(appendText(b, name), uint64(len(values)))
		for _, value := range values {
			b = appendText(b, value)
		}
	}
	return append(b, resp.Body...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (p packed) token() Token { return Token(p[packedToken:]) }

func (p packed) created() time.Time { return p.moment(packedCreated) }

func (p packed) moment(at int) time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64(p[at:]))) //nolint:gosec // as pack wrote it
}

// unpack returns the record. Its body is a part of p, with no room behind it: whoever appends to it makes a copy.
func (p packed) unpack() Record {
	rec := Record{
		Fingerprint: Fingerprint(p), State: Complete, Token: p.token(), Created: p.created(), LockedAt: p.moment(packedLocked),
	}
	rec.Response.Status = int(binary.BigEndian.Uint32(p[packedStatus:]))
	rec.Response.Dropped = p[packedDropped] == 1
	rest := unpacker(p[packedRest:])
	rec.RecoveryPoint, rec.Response.ResourceID = rest.text(), rest.text()
	if n := rest.number(); n > 0 {
		rec.Response.Header = make(http.Header, n)
		for range n {
			name, values := rest.text(), make([]string, rest.number())
			for i := range values {
				values[i] = rest.text()
			}
			rec.Response.Header[name] = values
		}
	}
	if len(rest) > 0 {
		rec.Response.Body = slices.Clip(rest)
	}
	return rec
}

type unpacker []byte

func (u *unpacker) number() int {
	n, size := binary.Uvarint(*u)
	*u = (*u)[size:]
	return int(n) //nolint:gosec // a length that pack wrote
}

func (u *unpacker) text() string {
	n := u.number()
	s := string((*u)[:n])
	*u = (*u)[n:]
	return s
}
