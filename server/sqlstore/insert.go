package sqlstore

import (
	"context"
	"encoding/hex"
	"strconv"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// inlineLimit is the size up to which an answer travels in one message with its COMMIT. Hexadecimal doubles it on the wire.
const inlineLimit = 8 << 10

const insertColumns = `INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, lease_until, expires, status, header, body, dropped, resource_id)`

const insertStatement = insertColumns + ` SELECT $2, $3, $4, $5, $6, 'complete', $7, n.at AS created, n.at AS locked, 0, n.at + $8, $9, $10, $11, $12, $13 FROM (SELECT {now} AS at) AS n`

// insert writes the complete record and commits. The primary key refuses a second record of the scope.
func (s *Store) insert(ctx context.Context, t *transaction, c *atomicClaim, resp idempotency.Response) error {
	scope, header := c.record.Scope, encode(resp.Header)
	if s.dialect.postgres && len(resp.Body) <= inlineLimit {
		return t.finish(ctx, s.inline(c, header, resp))
	}
	_, err := t.conn.ExecContext(ctx, s.sql.insert, s.now(), c.digest, scope.Caller, scope.Operation, scope.Key,
		c.record.Fingerprint[:], c.record.Token[:], c.req.Window.Microseconds(), resp.Status, header, nonNil(resp.Body), resp.Dropped, resp.ResourceID)
	if err != nil {
		t.discard(ctx)
		return err
	}
	return t.commit(ctx)
}

// inline is the record and the COMMIT as one text. Without parameters a driver sends it in one message, which saves a
// round trip while the claim's locks are held. Every value in it is a number or hexadecimal, so that none can be read
// as SQL, whatever the server's quoting rules.
func (s *Store) inline(c *atomicClaim, header []byte, resp idempotency.Response) string {
	scope := c.record.Scope
	b := make([]byte, 0, 512+2*len(resp.Body)+2*len(header))
	b = append(b, "SELECT retrysafe_keep("...)
	if s.clock == nil {
		b = append(b, "NULL"...)
	} else {
		b = strconv.AppendInt(b, s.clock().UnixMicro(), 10)
	}
	for _, value := range [...][]byte{c.digest, []byte(scope.Caller), []byte(scope.Operation), []byte(scope.Key), c.record.Fingerprint[:], c.record.Token[:]} {
		b = appendHex(b, value)
	}
	b = strconv.AppendInt(append(b, ", "...), c.req.Window.Microseconds(), 10)
	b = strconv.AppendInt(append(b, ", "...), int64(resp.Status), 10)
	b = appendHex(appendHex(b, header), resp.Body)
	b = strconv.AppendBool(append(b, ", "...), resp.Dropped)
	b = appendHex(b, []byte(resp.ResourceID))
	return string(append(b, "); COMMIT"...))
}

func appendHex(b, value []byte) []byte {
	b = append(b, ", '"...)
	b = hex.AppendEncode(b, value)
	return append(b, '\'')
}

// nonNil makes an empty answer an empty value, not null.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
