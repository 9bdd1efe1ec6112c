package transport

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
)

// countedConn knows how many bytes were written on it. Only with that can a
// request that died in a buffer be told from one that may have arrived:
// net/http reports both as written.
type countedConn struct {
	net.Conn

	written atomic.Int64
}

// Write implements net.Conn.
func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))

	return n, err
}

// ReadFrom keeps the kernel's ways of sending a file.
func (c *countedConn) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.Conn, r)
	c.written.Add(n)

	return n, err
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// counted counts on every connection that dial makes.
func counted(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}

		return &countedConn{Conn: conn}, nil
	}
}

// counter returns the counting connection below conn, nil if there is none.
func counter(conn net.Conn) *countedConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}

	c, _ := conn.(*countedConn)

	return c
}
