package sqlstore

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// inlineLimit is the size up to which an answer travels in one message with its COMMIT. Hexadecimal doubles it on the wire.
const inlineLimit = 8 << 10

const insertStatement = `INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, expires, status, header, body, resource_id)
SELECT $2, $3, $4, $5, $6, 'complete', $7, n.at AS created, n.at AS locked, n.at + $8, $9, $10, $11, $12 FROM (SELECT {now} AS at) AS n`

// insert writes the complete record and commits. The primary key refuses a second record of the scope.
func (s *Store) insert(ctx context.Context, t *transaction, c *atomicClaim, resp idempotency.Response) error {
	if s.dialect.postgres && len(resp.Body) <= inlineLimit {
		return t.finish(ctx, s.inline(c, encodeHeader(resp.Header), resp))
	}
	if _, err := t.conn.ExecContext(ctx, s.sql.insert, s.insertArgs(c, resp)...); err != nil {
		t.discard(ctx)
		return err
	}
	return t.commit(ctx)
}

// insertAlone writes the complete record as a statement that is its own transaction, with what stands before it.
func (s *Store) insertAlone(ctx context.Context, before string, args []any, c *atomicClaim, resp idempotency.Response) error {
	_, err := s.db.ExecContext(ctx, before+shifted(s.sql.insert, len(args)), slices.Concat(args, s.insertArgs(c, resp))...)
	return err
}

// insertArgs are the parameters of insertStatement.
func (s *Store) insertArgs(c *atomicClaim, resp idempotency.Response) []any {
	scope := c.record.Scope
	return []any{
		s.now(), s.column(c.id), scope.Caller, scope.Operation, scope.Key, c.record.Fingerprint[:], c.record.Token[:],
		c.req.Window.Microseconds(), resp.Status, encodeHeader(resp.Header), bodyColumn(resp), orNull(resp.ResourceID),
	}
}

// inline is the record and the COMMIT as one text. Without parameters a driver sends it in one message, which saves a
// round trip while the claim's locks are held. Every value in it is a number or hexadecimal, so that none can be read
// as SQL, whatever the server's quoting rules.
func (s *Store) inline(c *atomicClaim, header []byte, resp idempotency.Response) string {
	scope := c.record.Scope
	b := make([]byte, 0, 512+2*(len(scope.Caller)+len(scope.Operation)+len(scope.Key)+len(header)+len(resp.Body)+len(resp.ResourceID)))
	b = append(s.appendNow(append(b, "SELECT retrysafe_keep("...)), ", '"...)
	b = append(hex.AppendEncode(b, c.id[:]), '\'')
	for _, text := range [...]string{scope.Caller, scope.Operation, scope.Key} {
		b = appendBytes(b, []byte(text))
	}
	b = appendBytes(appendBytes(b, c.record.Fingerprint[:]), c.record.Token[:])
	b = strconv.AppendInt(append(b, ", "...), c.req.Window.Microseconds(), 10)
	b = strconv.AppendInt(append(b, ", "...), int64(resp.Status), 10)
	b = appendBytes(b, header)
	if resp.Dropped {
		b = append(b, ", NULL"...)
	} else {
		b = appendBytes(b, resp.Body)
	}
	if resp.ResourceID == "" {
		b = append(b, ", NULL"...)
	} else {
		b = appendBytes(b, []byte(resp.ResourceID))
	}
	return string(append(b, "); COMMIT"...))
}

// appendBytes writes a bytea. An E” constant means the same whether standard_conforming_strings is on or off.
func appendBytes(b, value []byte) []byte {
	b = append(b, `, E'\\x`...)
	b = hex.AppendEncode(b, value)
	return append(b, '\'')
}

// appendNow writes the value that now gives to statements with parameters.
func (s *Store) appendNow(b []byte) []byte {
	if s.clock == nil {
		return append(b, "NULL"...)
	}
	return strconv.AppendInt(b, s.clock().UnixMicro(), 10)
}

// orNull makes a zero value null: it takes no room in a row.
func orNull[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

// bodyColumn is null for an answer that was not kept.
func bodyColumn(resp idempotency.Response) any {
	if resp.Dropped {
		return nil
	}
	return nonNil(resp.Body)
}

// nonNil makes an empty answer an empty value, not null.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
