package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// build makes the request of one call: everything but the key header, which the transport owns.
func (c *Client) build(ctx context.Context, op *Operation, in *Input, s *settings) (*http.Request, error) {
	target, err := c.target(op, in, s)
	if err != nil {
		return nil, err
	}
	body, err := encode(op, in)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, op.Call.Method, target, nil)
	if err != nil {
		return nil, errors.New("the base URL and path do not make a URL")
	}
	return req, c.fill(req, op, in, s, body)
}

// fill adds headers, cookies, body and credentials.
func (c *Client) fill(req *http.Request, op *Operation, in *Input, s *settings, body *payload) error {
	if body != nil {
		if err := body.attach(req, s.progress); err != nil {
			return err
		}
	}
	req.Header.Set("User-Agent", c.userAgent(s))
	if accept := op.accept(); accept != "" {
		req.Header.Set("Accept", accept)
	}
	if in.Params != nil {
		var params wire.Params
		if err := wire.AddParams(&params, in.Params); err != nil {
			return err
		}
		if in.target == "" {
			addQuery(req.URL, params.Query)
		}
		maps.Copy(req.Header, params.Header)
		if len(params.Cookies) > 0 {
			req.Header.Set("Cookie", strings.Join(params.Cookies, "; "))
		}
	}
	if in.target == "" {
		addQuery(req.URL, s.query.Encode())
	}
	if op.KeyQuery != "" && s.key != "" {
		addQuery(req.URL, url.QueryEscape(op.KeyQuery)+"="+url.QueryEscape(s.key))
	}
	maps.Copy(req.Header, s.header)
	maps.Copy(req.Header, in.header)
	return nil
}

func (c *Client) userAgent(s *settings) string {
	if s.product == "" {
		return c.agent
	}
	return s.product + " " + c.agent
}

func (op *Operation) accept() string {
	if op.Accept == "" && op.Answers == nil {
		return "application/json"
	}
	return op.Accept
}

// target is the URL of the call before parameters.
func (c *Client) target(op *Operation, in *Input, s *settings) (string, error) {
	if in.target != "" {
		return in.target, nil
	}
	base := c.server
	servers := c.api.Servers
	if len(op.Servers) > 0 {
		servers = op.Servers
	}
	if len(op.Servers) > 0 || s.forCall && (s.baseURL != c.base.baseURL || len(s.variables) > 0) {
		own, err := serverURL(servers, s)
		if err != nil {
			return "", err
		}
		if own != "" {
			base = own
		}
	}
	if base == "" {
		return "", noBaseURL(c.api)
	}
	path, err := op.expand(in.Path)
	if err != nil {
		return "", err
	}
	return base + path, nil
}

// expand puts values into the path template.
func (op *Operation) expand(values []any) (string, error) {
	template, _, _ := strings.Cut(op.Call.Path, "#")
	var out strings.Builder
	for n := 0; ; n++ {
		before, rest, found := strings.Cut(template, "{")
		out.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			if n != len(values) {
				return "", fmt.Errorf("path %s takes %d values, got %d", op.Call.Path, n, len(values))
			}
			return out.String(), nil
		}
		if n >= len(values) {
			return "", fmt.Errorf("path %s takes more than %d values", op.Call.Path, len(values))
		}
		param := PathParam{Name: name, Style: wire.Simple}
		if n < len(op.Path) {
			param = op.Path[n]
			if param.Style == "" {
				param.Style = wire.Simple
			}
		}
		text, err := wire.PathValue(param.Name, param.Style, param.Explode, values[n])
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		template = after
	}
}

func addQuery(u *url.URL, encoded string) {
	if encoded == "" {
		return
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += encoded
}
