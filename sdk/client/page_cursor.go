package client

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// pager asks for one page of a list. It does not change once made, so a page can be asked for again.
type pager struct {
	client   *Client
	op       *Operation
	in       Input
	opts     []Option
	position string         // cursor, number or URL that makes this page differ from the first one; "" is the first
	at       int            // offset or number of the page
	nth      int            // 0 is the first page
	seen     map[string]int // cursors and URLs handed out so far in this list, with the page that each leads to
}

func newPager(c *Client, op *Operation, in Input, opts []Option) *pager {
	p := &pager{client: c, op: op, in: in, opts: opts, seen: map[string]int{}}
	if op.Paging.Kind == PageNumber {
		p.at = op.Paging.FirstPage
	}
	if n, err := strconv.Atoi(text(selectPath(p.carrier(), []string{op.Paging.Request}))); err == nil {
		p.at = n
	}
	return p
}

func (p *pager) send(ctx context.Context) (*exchange, error) {
	if p.nth == 0 || p.op.Call.Key == nil {
		return p.client.send(ctx, p.op, p.in, p.opts)
	}
	in := p.in
	in.Event = pageEvent(in.Event, p.position)
	return p.client.send(ctx, p.op, in, append(slices.Clip(p.opts), p.ownKey(ctx)))
}

// ownKey derives the key of this page from the one that the caller gave for the list: with another cursor it is another
// request, and the same in every process.
func (p *pager) ownKey(ctx context.Context) Option {
	return optionFunc(func(s *settings) {
		if s.key == "" {
			return
		}
		rule := p.op.Call.Key
		key, err := keys.Event("page", s.key, p.position)(ctx, keys.Call{
			Operation: p.op.Call.ID,
			Rule:      keys.Rule{MinLength: rule.MinLength, MaxLength: rule.MaxLength, Pattern: rule.Pattern},
		})
		if err != nil {
			s.fail(err)
			return
		}
		s.key = key
		s.transport = append(slices.Clip(s.transport), transport.WithIdempotencyKey(key))
	})
}

// pageEvent makes the event of a list the event of one of its pages.
func pageEvent(e Event, position string) Event {
	const mark = "-page-"
	switch {
	case e == nil:
		return nil
	case len(e)%2 == 0:
		return append(slices.Clip(e), mark, position)
	}
	last := len(e) - 1
	return append(slices.Clip(e[:last]), fmt.Sprint(e[last], mark), position)
}

// after finds the page after the one that was fetched; nil at the end of the list.
func (p *pager) after(page, items reflect.Value, x *exchange) (*pager, error) {
	how := p.op.Paging
	if len(how.HasMore) > 0 && text(selectPath(page, how.HasMore)) == "false" {
		return nil, nil //nolint:nilnil // the end is an answer, not a failure
	}
	switch how.Kind {
	case Offset:
		next := p.at + length(items)
		return p.number(next, next < p.total(page, how.Total) && length(items) > 0)
	case PageNumber:
		if len(how.Next) > 0 {
			return p.cursor(text(selectPath(page, how.Next)))
		}
		last := p.total(page, how.TotalPages) - 1 + how.FirstPage
		return p.number(p.at+1, p.at < last && length(items) > 0)
	case NextURL:
		return p.follow(text(selectPath(page, how.Next)), x)
	case LinkHeader:
		return p.follow(nextLink(x.info.Header.Values("Link")), x)
	case Cursor:
	}
	switch {
	case len(how.LastItem) == 0:
		return p.cursor(text(selectPath(page, how.Next)))
	case length(items) == 0:
		return nil, nil //nolint:nilnil // see above
	}
	return p.cursor(text(selectPath(items.Index(items.Len()-1), how.LastItem)))
}

// total reads a count; without one no count ends the list.
func (p *pager) total(page reflect.Value, path []string) int {
	const unknown = 1<<31 - 1
	if len(path) == 0 {
		return unknown
	}
	n, err := strconv.Atoi(text(selectPath(page, path)))
	if err != nil {
		return unknown
	}
	return n
}

func (p *pager) number(next int, more bool) (*pager, error) {
	if !more {
		return nil, nil //nolint:nilnil // the end is an answer, not a failure
	}
	n := p.step(strconv.Itoa(next))
	n.at = next
	return n, n.set()
}

func (p *pager) cursor(next string) (*pager, error) {
	if more, err := p.fresh(next); !more {
		return nil, err
	}
	n := p.step(next)
	return n, n.set()
}

// follow goes on with a URL of the server's, which must not lead credentials to another origin.
func (p *pager) follow(next string, x *exchange) (*pager, error) {
	if next == "" {
		return nil, nil //nolint:nilnil // the end is an answer, not a failure
	}
	target, err := x.resolve(&p.in, next)
	if err != nil {
		return nil, err
	}
	if more, err := p.fresh(target.String()); !more {
		return nil, err
	}
	n := p.step(target.String())
	n.in.target = n.position
	return n, nil
}

// fresh notes a cursor; false when it is none, or with an error when an earlier page has handed it out.
func (p *pager) fresh(next string) (bool, error) {
	if next == "" {
		return false, nil
	}
	if to, known := p.seen[next]; known && to != p.nth+1 {
		return false, ErrRepeatedCursor
	}
	p.seen[next] = p.nth + 1
	return true, nil
}

func (p *pager) step(position string) *pager {
	n := *p
	n.nth++
	n.position = position
	return &n
}

func (p *pager) carrier() reflect.Value {
	if p.op.Paging.InBody {
		return reflect.ValueOf(p.in.Body)
	}
	return reflect.ValueOf(p.in.Params)
}

// set writes the position into a copy of the parameters or of the body: the caller's own stay as they are.
func (p *pager) set() error {
	from := reflect.Indirect(p.carrier())
	if from.Kind() != reflect.Struct {
		return errField
	}
	fresh := reflect.New(from.Type())
	fresh.Elem().Set(from)
	field := fresh.Elem().FieldByName(p.op.Paging.Request)
	if field.CanSet() {
		field.SetZero() // what a pointer points to is still the caller's
	}
	if err := assign(field, p.position); err != nil {
		return err
	}
	if !p.op.Paging.InBody {
		p.in.Params = fresh.Interface()
		return nil
	}
	p.in.Body = fresh.Interface()
	for i := range from.NumField() { // a key in the body is the copy's from now on, and not the one of the page before
		if from.CanAddr() && from.Field(i).CanInterface() && from.Field(i).Addr().Interface() == p.in.Key {
			fresh.Elem().Field(i).SetZero()
			p.in.Key = fresh.Elem().Field(i).Addr().Interface()
		}
	}
	return nil
}
