package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
)

// PagingKind tells how a list goes on.
type PagingKind uint8

// The kinds of pagination.
const (
	Cursor     PagingKind = iota // the result or its last item holds the cursor of the next page
	Offset                       // the request names how many items to leave out
	PageNumber                   // the request names the number of the page
	NextURL                      // the result holds the URL of the next page
	LinkHeader                   // the header Link holds it (RFC 8288), relation next
)

// Paging says where the parts of a paginated list are: Go fields of the operation's parameters (or body) and selector
// paths in its result.
type Paging struct {
	Kind       PagingKind
	Request    string   // field that carries the cursor, the offset or the page
	InBody     bool     // Request is a field of the body
	Items      []string // path of the items; nil: the result itself
	Next       []string // path of the next cursor, page or URL
	HasMore    []string // path of a flag that ends the list when it is false
	LastItem   []string // the cursor is this field of the last item
	Total      []string // path of the count of all items, ends a list by offset without one more request
	TotalPages []string // path of the count of all pages, ends a list by page number without one more request
	FirstPage  int
}

// ErrRepeatedCursor ends a list whose server hands out a cursor or a URL for the second time: following it would go on
// forever. The pages before it are good.
var ErrRepeatedCursor = errors.New("the server repeated the cursor of an earlier page")

// Page is one page of a list: P is the type of the whole answer, I of one item. It is not safe for concurrent use.
type Page[P, I any] struct {
	Items []I
	Value P
	Info  ResponseInfo

	next   *pager
	failed error
}

// First fetches the first page of a list. Each page is one call: it has its own deadline, its own retries and, where
// the operation takes one, its own idempotency key; a key or an event of the caller's names the first page, and the
// keys of the pages after it are derived from it.
func First[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (*Page[P, I], error) {
	return fetchPage[P, I](ctx, newPager(c, op, in, opts))
}

// HasNext tells whether [Page.Next] has something to give: the next page, or the error that ends the list.
func (p *Page[P, I]) HasNext() bool { return p.next != nil || p.failed != nil }

// Next fetches the page after this one, and gives io.EOF after the last one. When it fails it may be called again: it
// asks for the same page.
func (p *Page[P, I]) Next(ctx context.Context) (*Page[P, I], error) {
	switch {
	case p.failed != nil:
		return nil, p.failed
	case p.next == nil:
		return nil, io.EOF
	}
	return fetchPage[P, I](ctx, p.next)
}

// Pages goes through a list page by page. A page is fetched when the loop asks for it; leaving the loop leaves nothing
// behind. Each range over the result begins again with the first page. An error is the last thing that it gives.
func Pages[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[*Page[P, I], error] {
	return func(yield func(*Page[P, I], error) bool) {
		page, err := First[P, I](ctx, c, op, in, opts)
		for yield(page, err) && err == nil && page.HasNext() {
			page, err = page.Next(ctx)
		}
	}
}

// All goes through the items of a list, page after page, as [Pages] does.
func All[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		for page, err := range Pages[P, I](ctx, c, op, in, opts) {
			if err != nil {
				var none I
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

func fetchPage[P, I any](ctx context.Context, at *pager) (*Page[P, I], error) {
	page := &Page[P, I]{}
	x, err := at.send(ctx)
	if err == nil {
		err = x.decode([]any{&page.Value})
	}
	if err != nil {
		return nil, err
	}
	value := reflect.ValueOf(&page.Value).Elem()
	items := selectPath(value, at.op.Paging.Items)
	page.Info = x.info
	if want := reflect.TypeFor[[]I](); items.IsValid() && items.CanConvert(want) {
		page.Items, _ = reflect.TypeAssert[[]I](items.Convert(want))
	}
	page.next, err = at.after(value, items, x)
	if err != nil {
		page.failed = x.unreadable(fmt.Errorf("the next page cannot be asked for: %w", err))
	}
	return page, nil
}
