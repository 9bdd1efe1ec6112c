package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// payload is an encoded request body. It is encoded once: every attempt sends the same bytes.
type payload struct {
	contentType string
	length      int64 // -1: unknown
	open        func() (io.ReadCloser, error)
	once        bool // open works one time only, so the call cannot be repeated
}

// encode turns the call's body into bytes or into a source of bytes; nil when there is none.
func encode(op *Operation, in *Input) (*payload, error) {
	if op.Body.Type == "" || absent(in.Body) {
		return nil, nil //nolint:nilnil // no body is an answer, not a failure
	}
	switch op.Body.Kind {
	case Form:
		text, err := wire.Form(in.Body, op.Body.Encoding)
		if err != nil {
			return nil, err
		}
		return fixed(op.Body.Type, []byte(text)), nil
	case Multipart:
		parts, err := wire.Multipart(in.Body, op.Body.Encoding)
		if err != nil {
			return nil, err
		}
		return source(parts, parts.ContentType), nil
	case Text, Binary:
		return raw(op.Body.Type, in.Body)
	default:
		data, err := wire.MarshalRequest(in.Body)
		if err != nil {
			return nil, err
		}
		return fixed(op.Body.Type, data), nil
	}
}

// absent tells a body that was not given: nil or a nil pointer, slice or map.
func absent(body any) bool {
	if body == nil {
		return true
	}
	v := reflect.ValueOf(body)
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return v.IsNil()
	default:
		return false
	}
}

func fixed(contentType string, data []byte) *payload {
	return &payload{contentType: contentType, length: int64(len(data)), open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// raw passes a body on as it is.
func raw(contentType string, body any) (*payload, error) {
	switch b := body.(type) {
	case string:
		return fixed(contentType, []byte(b)), nil
	case *string:
		return fixed(contentType, []byte(*b)), nil
	case []byte:
		return fixed(contentType, b), nil
	case *wire.File:
		if b.ContentType != "" {
			contentType = b.ContentType
		}
		return source(wire.FileBody(b), contentType), nil
	case io.Reader:
		open, length, ok, err := wire.Reopen(b)
		if err != nil {
			return nil, err
		}
		if !ok {
			return source(wire.FileBody(wire.FromReader("", b)), contentType), nil
		}
		return &payload{contentType: contentType, length: length, open: open}, nil
	}
	v := reflect.Indirect(reflect.ValueOf(body))
	switch {
	case v.Kind() == reflect.String:
		return fixed(contentType, []byte(v.String())), nil
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return fixed(contentType, v.Bytes()), nil
	case strings.Contains(contentType, "text/"):
		return fixed(contentType, fmt.Append(nil, v.Interface())), nil
	}
	return nil, fmt.Errorf("a body of type %T cannot be sent as %s", body, contentType)
}

// source is a body of package wire under a content type.
func source(b *wire.Body, contentType string) *payload {
	return &payload{contentType: contentType, length: b.Len, open: b.Open, once: !b.Replayable}
}

// attach makes the payload the body of req.
func (p *payload) attach(req *http.Request, progress func(sent, total int64)) error {
	open := p.open
	if progress != nil {
		open = reportProgress(p.open, p.length, progress)
	}
	body, err := open()
	if err != nil {
		return fmt.Errorf("the body cannot be opened: %w", err)
	}
	req.Body = body
	req.ContentLength = p.length
	if p.length == 0 {
		req.Body = http.NoBody
	}
	if !p.once {
		req.GetBody = open
	}
	req.Header.Set("Content-Type", p.contentType)
	return nil
}
