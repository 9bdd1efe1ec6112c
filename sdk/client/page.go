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
	FirstPage  int      // number of the first page: 0 or 1
}

// ErrRepeatedCursor ends a list whose server hands out a cursor or a URL for the second time: following it would go on
// forever. The pages before it are good.
var ErrRepeatedCursor = errors.New("the server repeated the cursor of an earlier page")

// Page is one page of a list: P is the type of the whole answer, I of one item. It is not safe for concurrent use.
type Page[P, I any] struct {
	Items []I          // of this page
	Value P            // the whole answer
	Info  ResponseInfo // of the call that fetched this page

	state pageState
}

// First fetches the first page of a list. Each page is one call: it has its own deadline, its own retries and, where
// the operation takes one, its own idempotency key; a key or an event of the caller's names the first page, and the
// keys of the pages after it are derived from it.
func First[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (*Page[P, I], error) {
	return fetchPage[P, I](ctx, newPager(c, op, in, opts))
}

// HasNext tells whether [Page.Next] has something to give: the next page, or the error that ends the list.
func (p *Page[P, I]) HasNext() bool { return p.state.next != nil || p.state.failed != nil }

// Next fetches the page after this one, and gives io.EOF after the last one. When it fails it may be called again: it
// asks for the same page.
func (p *Page[P, I]) Next(ctx context.Context) (*Page[P, I], error) {
	switch {
	case p.state.failed != nil:
		return nil, p.state.failed
	case p.state.next == nil:
		return nil, io.EOF
	}
	return fetchPage[P, I](ctx, p.state.next)
}

// Pages goes through a list page by page. A page is fetched when the loop asks for it; leaving the loop leaves nothing
// behind. Each range over the result begins again with the first page. An error is the last thing that it gives.
//
//go:noinline
func Pages[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[*Page[P, I], error] {
	return func(yield func(*Page[P, I], error) bool) {
		page, err := First[P, I](ctx, c, op, in, opts)
		for yield(page, err) && err == nil && page.HasNext() {
			page, err = page.Next(ctx)
		}
	}
}

// All goes through the items of a list, page after page, as [Pages] does.
//
//go:noinline
func All[P, I any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		for at := newPager(c, op, in, opts); at != nil; {
			var items []I
			next, err := at.items(ctx, new(P), &items)
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				var none I
				yield(none, err)
				return
			}
			at = next
		}
	}
}

func fetchPage[P, I any](ctx context.Context, at *pager) (*Page[P, I], error) {
	page := &Page[P, I]{}
	if err := at.fetch(ctx, &page.Value, &page.Items, &page.state); err != nil {
		return nil, err
	}
	page.Info = page.state.info
	return page, nil
}

// pageState is what a page has whatever its types. The generic functions here hand it on, so that what they compile to
// for each list of an API stays small.
type pageState struct {
	info   ResponseInfo
	next   *pager
	failed error
}

// items fetches a page into value and items, and gives the pager of the next one; the error of a page that cannot be
// followed comes with its items.
func (at *pager) items(ctx context.Context, value, items any) (*pager, error) {
	var page pageState
	if err := at.fetch(ctx, value, items, &page); err != nil {
		return nil, err
	}
	return page.next, page.failed
}

// fetch makes the call of one page: value is a pointer to the answer's type, items to a slice.
func (at *pager) fetch(ctx context.Context, value, items any, page *pageState) error {
	x, err := at.send(ctx)
	if err == nil {
		err = x.decode([]any{value})
	}
	if err != nil {
		return err
	}
	answer := reflect.ValueOf(value).Elem()
	found := selectPath(answer, at.op.Paging.Items)
	page.info = x.info
	if target := reflect.ValueOf(items).Elem(); found.IsValid() && found.CanConvert(target.Type()) {
		target.Set(found.Convert(target.Type()))
	}
	page.next, err = at.after(answer, found, x)
	if err != nil {
		page.failed = x.unreadable(fmt.Errorf("the next page cannot be asked for: %w", err))
	}
	return nil
}
