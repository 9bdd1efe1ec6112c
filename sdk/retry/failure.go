package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// Sent says how far a request got before its attempt failed.
type Sent uint8

const (
	// SentMaybe means: nothing is known, or some of it was written.
	SentMaybe Sent = iota
	// SentNothing means: there was no connection yet, or nothing was written on it.
	SentNothing
)

// ErrUnprocessed marks a failure, by wrapping it, as one where the server
// certainly did not process the request.
var ErrUnprocessed = errors.New("not processed by the server")

// ClassifyError says what a failure without an answer means. Only failures on
// a list of known ones are retryable: an error of unknown kind is Permanent.
// Whether the caller's context ended is for the caller to know.
func ClassifyError(err error, sent Sent) Class {
	switch {
	case err == nil:
		return Success
	case hopeless(err):
		return Permanent
	case unprocessed(err):
		return NeverSent
	case sent == SentNothing && broken(err):
		return NeverSent
	case broken(err):
		return Unknown
	}

	return Permanent
}

// hopeless reports failures that the next attempt meets again: a name that
// does not exist, a certificate that is not trusted, a peer that speaks no
// TLS or refuses ours, an address that cannot be dialled.
func hopeless(err error) bool {
	if dns, ok := asType[*net.DNSError](err); ok {
		return dns.IsNotFound || !dns.IsTimeout && !dns.IsTemporary
	}

	return isType[*tls.CertificateVerificationError](err) ||
		isType[x509.UnknownAuthorityError](err) ||
		isType[x509.HostnameError](err) ||
		isType[x509.CertificateInvalidError](err) ||
		isType[tls.RecordHeaderError](err) ||
		isType[tls.AlertError](err) ||
		isType[*net.AddrError](err) ||
		isType[net.UnknownNetworkError](err) ||
		isType[*net.ParseError](err)
}

// unprocessed reports failures that say themselves that the server did not act
// on the request.
func unprocessed(err error) bool {
	if errors.Is(err, ErrUnprocessed) {
		return true
	}

	if op, ok := asType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}

	// net/http does not export its HTTP/2 errors. A stream error fills any
	// struct of the same shape through errors.As; RFC 9113 section 8.7: a
	// refused stream was not processed. The rest can be told by text only.
	var stream streamError
	if errors.As(err, &stream) {
		return stream.Code == refusedStream
	}

	return containsAny(err, "http2: Transport: cannot retry err", "client connection unusable",
		"TLS handshake timeout", "graceful shutdown GOAWAY")
}

const refusedStream = 7

// streamError has the shape of net/http's HTTP/2 stream error.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "http2 stream error" }

// broken reports failures of the network or of a server that went away.
func broken(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}

	for _, errno := range [...]syscall.Errno{
		syscall.ECONNRESET, syscall.ECONNABORTED, syscall.ECONNREFUSED, syscall.EPIPE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}

	if timeout, ok := asType[net.Error](err); ok && timeout.Timeout() {
		return true
	}

	if isType[*net.OpError](err) || isType[streamError](err) {
		return true
	}

	return containsAny(err, "http: server closed idle connection",
		"http2: server sent GOAWAY", "http2: client connection lost", "http2: client conn", "client connection force closed")
}

func containsAny(err error, texts ...string) bool {
	message := err.Error()
	for _, text := range texts {
		if strings.Contains(message, text) {
			return true
		}
	}

	return false
}

func asType[T error](err error) (T, bool) {
	var target T

	ok := errors.As(err, &target)

	return target, ok
}

func isType[T error](err error) bool {
	_, ok := asType[T](err)

	return ok
}
