package transport_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// h2server is as much of an HTTP/2 server as it takes to refuse streams and to
// say goodbye at a chosen moment. Requests are not decoded: what is counted is
// streams and the bytes of their bodies.
type h2server struct {
	url    string
	client *tls.Config

	mu      sync.Mutex
	streams int
	bodies  []string
	conns   []net.Conn
	play    func(c *h2conn, stream uint32, nth int)
}

type h2conn struct {
	net.Conn
	mu sync.Mutex
}

const (
	frameData, frameHeaders, frameReset, frameSettings, frameGoAway = 0x0, 0x1, 0x3, 0x4, 0x7
	flagEnd, flagEndHeaders, flagAck                                = 0x1, 0x4, 0x1
	refusedStream, internalError                                    = 7, 2
)

func newH2(t *testing.T, play func(c *h2conn, stream uint32, nth int)) *h2server {
	t.Helper()

	// Borrow a certificate.
	certs := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(certs.Close)

	roots := certs.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: certs.TLS.Certificates,
		NextProtos:   []string{"h2"},
		MinVersion:   tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}

	s := &h2server{
		url:    "https://" + listener.Addr().String(),
		client: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		play:   play,
	}

	var wg sync.WaitGroup

	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			s.keep(conn)
			wg.Go(func() { s.serve(&h2conn{Conn: conn}) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.hangUp()
		wg.Wait()
	})

	return s
}

// base is a base that speaks HTTP/2 to the server.
func (s *h2server) base(t *testing.T) *http.Transport {
	t.Helper()

	base := &http.Transport{TLSClientConfig: s.client, ForceAttemptHTTP2: true}
	t.Cleanup(base.CloseIdleConnections)

	return base
}

func (s *h2server) seen() (streams, conns int, bodies []string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.streams, len(s.conns), append([]string(nil), s.bodies...)
}

func (s *h2server) keep(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.conns = append(s.conns, conn)
}

func (s *h2server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

func (s *h2server) serve(c *h2conn) {
	defer c.Close()

	r := bufio.NewReader(c)
	if _, err := r.Discard(24); err != nil { // the client's preface
		return
	}

	c.frame(frameSettings, 0, 0, nil)

	bodies := make(map[uint32]string)

	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(r, head); err != nil {
			return
		}

		data := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(r, data); err != nil {
			return
		}

		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])

		switch kind {
		case frameSettings:
			if flags&flagAck == 0 {
				c.frame(frameSettings, flagAck, 0, nil)
			}

			continue
		case frameData:
			bodies[stream] += string(data)
		case frameHeaders:
		default:
			continue
		}

		if flags&flagEnd == 0 {
			continue
		}

		s.mu.Lock()
		s.streams++
		nth := s.streams
		s.bodies = append(s.bodies, bodies[stream])
		s.mu.Unlock()

		s.play(c, stream, nth)
	}
}

func (c *h2conn) frame(kind, flags byte, stream uint32, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()

	head := []byte{byte(len(data) >> 16), byte(len(data) >> 8), byte(len(data)), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], stream)
	_, _ = c.Write(append(head, data...))
}

// created answers 201: the literal header field :status, by its static index.
func (c *h2conn) created(stream uint32) {
	c.frame(frameHeaders, flagEnd|flagEndHeaders, stream, []byte{0x48, 3, '2', '0', '1'})
}

func (c *h2conn) reset(stream uint32, code uint32) {
	c.frame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

// goAway announces the last stream that was processed.
func (c *h2conn) goAway(last uint32) {
	c.frame(frameGoAway, 0, 0, append(binary.BigEndian.AppendUint32(nil, last), 0, 0, 0, 0))
}
