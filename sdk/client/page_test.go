package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// flowClient is a client of a server on the loopback interface.
func flowClient(t *testing.T, handler http.HandlerFunc, opts ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return flowClientAt(t, append([]Option{WithBaseURL(server.URL), WithTransport(server.Client().Transport)}, opts...)...)
}

func flowClientAt(t *testing.T, opts ...Option) *Client {
	t.Helper()
	api := &API{
		Name: "shop", Product: "shop-go/1",
		Servers:  []Server{{URL: "https://api.example.com/v1"}},
		Schemes:  []Scheme{{Name: "bearerAuth", Kind: Bearer}},
		Security: []Requirement{{"bearerAuth"}},
	}
	c, err := New(api, append([]Option{WithEnv(nil), WithLogger(nil), WithSecret("bearerAuth", "s3cret")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// flowTransport answers from memory, where no socket may hold a synctest bubble up.
type flowTransport func(*http.Request) (*http.Response, error)

func (f flowTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	return f(req)
}

// flowLog is what a server has seen.
type flowLog struct {
	mu   sync.Mutex
	seen []string
}

func (l *flowLog) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, what)
}

// take gives what was seen since the last take.
func (l *flowLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen
	l.seen = nil
	return seen
}

func flowAnswer(req *http.Request, status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	return &http.Response{
		StatusCode: status, Header: header, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

type (
	order struct {
		ID string `json:"ID"`
	}
	orderList struct {
		Data       []order `json:"data"`
		NextCursor *string `json:"next_cursor,omitempty"`
		NextURL    string  `json:"next_url,omitempty"`
		HasMore    *bool   `json:"has_more,omitempty"`
		Total      *int64  `json:"total,omitempty"`
		Pages      int64   `json:"pages,omitempty"`
	}
	listParams struct {
		Cursor *string `query:"cursor"`
		Offset *int64  `query:"offset"`
		Page   int64   `query:"page"`
		After  *string `query:"starting_after"`
		Status *string `query:"status"`
	}
)

func listOp(paging Paging) *Operation {
	paging.Items = []string{"Data"}
	return &Operation{
		Call:   transport.Operation{ID: "listOrders", Method: http.MethodGet, Path: "/orders"},
		Paging: &paging,
	}
}

// orders has ten orders, three to a page, and pages them in every way.
type orders struct {
	requests flowLog
	base     string // of next links
	total    bool
}

const ordersInAll, ordersPerPage = 10, 3

func (o *orders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.requests.add(r.URL.RequestURI())
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("cursor") + q.Get("offset") + q.Get("starting_after"))
	if page, _ := strconv.Atoi(q.Get("page")); page > 0 {
		from = (page - 1) * ordersPerPage
	}
	list := orderList{Data: []order{}}
	for id := from + 1; id <= min(from+ordersPerPage, ordersInAll); id++ {
		list.Data = append(list.Data, order{ID: strconv.Itoa(id)})
	}
	last := min(from+ordersPerPage, ordersInAll)
	more := last < ordersInAll
	list.HasMore = &more
	if o.total {
		total := int64(ordersInAll)
		list.Total, list.Pages = &total, 4
	}
	if more {
		next := strconv.Itoa(last)
		list.NextCursor = &next
		list.NextURL = o.base + "/orders?cursor=" + next
		w.Header().Add("Link", `</help>; rel="help", <`+list.NextURL+`>; title="a, b; rel=prev"; rel="foo Next"`)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func ids[T any](t *testing.T, list func(func(T, error) bool)) []string {
	t.Helper()
	var got []string
	for item, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v", item))
	}
	return got
}

var everyOrder = []string{"{1}", "{2}", "{3}", "{4}", "{5}", "{6}", "{7}", "{8}", "{9}", "{10}"}

func TestAllKinds(t *testing.T) {
	status := "open"
	tests := []struct {
		name     string
		paging   Paging
		params   any
		total    bool
		requests []string
	}{
		{
			name: "cursor", paging: Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}},
			params:   &listParams{Status: &status},
			requests: []string{"/orders?page=0&status=open", "/orders?cursor=3&page=0&status=open", "/orders?cursor=6&page=0&status=open", "/orders?cursor=9&page=0&status=open"},
		},
		{
			name: "cursor and has more", paging: Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}, HasMore: []string{"HasMore"}},
			params:   listParams{},
			requests: []string{"/orders?page=0", "/orders?cursor=3&page=0", "/orders?cursor=6&page=0", "/orders?cursor=9&page=0"},
		},
		{
			name: "last item", paging: Paging{Kind: Cursor, Request: "After", LastItem: []string{"ID"}, HasMore: []string{"HasMore"}},
			params:   &listParams{},
			requests: []string{"/orders?page=0", "/orders?page=0&starting_after=3", "/orders?page=0&starting_after=6", "/orders?page=0&starting_after=9"},
		},
		{
			name: "last item until an empty page", paging: Paging{Kind: Cursor, Request: "After", LastItem: []string{"ID"}},
			params: &listParams{},
			requests: []string{
				"/orders?page=0", "/orders?page=0&starting_after=3", "/orders?page=0&starting_after=6", "/orders?page=0&starting_after=9",
				"/orders?page=0&starting_after=10",
			},
		},
		{
			name: "offset until an empty page", paging: Paging{Kind: Offset, Request: "Offset"},
			params:   &listParams{},
			requests: []string{"/orders?page=0", "/orders?offset=3&page=0", "/orders?offset=6&page=0", "/orders?offset=9&page=0", "/orders?offset=10&page=0"},
		},
		{
			name: "offset and total", paging: Paging{Kind: Offset, Request: "Offset", Total: []string{"Total"}},
			params: &listParams{}, total: true,
			requests: []string{"/orders?page=0", "/orders?offset=3&page=0", "/orders?offset=6&page=0", "/orders?offset=9&page=0"},
		},
		{
			name: "page number", paging: Paging{Kind: PageNumber, Request: "Page", FirstPage: 1},
			params:   &listParams{Page: 1},
			requests: []string{"/orders?page=1", "/orders?page=2", "/orders?page=3", "/orders?page=4", "/orders?page=5"},
		},
		{
			name: "page number and total", paging: Paging{Kind: PageNumber, Request: "Page", FirstPage: 1, TotalPages: []string{"Pages"}},
			params: &listParams{Page: 1}, total: true,
			requests: []string{"/orders?page=1", "/orders?page=2", "/orders?page=3", "/orders?page=4"},
		},
		{
			name: "next URL", paging: Paging{Kind: NextURL, Next: []string{"NextURL"}},
			params:   &listParams{},
			requests: []string{"/orders?page=0", "/orders?cursor=3", "/orders?cursor=6", "/orders?cursor=9"},
		},
		{
			name: "link header", paging: Paging{Kind: LinkHeader},
			params:   &listParams{},
			requests: []string{"/orders?page=0", "/orders?cursor=3", "/orders?cursor=6", "/orders?cursor=9"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := orders{total: tt.total}
			c := flowClient(t, server.ServeHTTP)
			list := All[*orderList, order](t.Context(), c, listOp(tt.paging), Input{Params: tt.params}, nil)
			for range 2 { // each range begins again
				if got := ids(t, list); !slices.Equal(got, everyOrder) {
					t.Errorf("items %v", got)
				}
				if requests := server.requests.take(); !slices.Equal(requests, tt.requests) {
					t.Errorf("requests %q, want %q", requests, tt.requests)
				}
			}
		})
	}
}

func TestAllStartsWhereTheCallerSays(t *testing.T) {
	for kind, want := range map[PagingKind][]string{
		Offset:     {"/orders?offset=8&page=0", "/orders?offset=10&page=0"},
		PageNumber: {"/orders?offset=8&page=4", "/orders?offset=8&page=5"},
	} {
		var server orders
		c := flowClient(t, server.ServeHTTP)
		offset := int64(8)
		params := &listParams{Offset: &offset}
		paging := Paging{Kind: kind, Request: "Offset", Total: []string{"Total"}}
		if kind == PageNumber {
			paging.Request, params.Page = "Page", 4
		}
		ids(t, All[*orderList, order](t.Context(), c, listOp(paging), Input{Params: params}, nil))
		if requests := server.requests.take(); len(requests) < 2 || !slices.Equal(requests[:2], want) {
			t.Errorf("requests %q, want %q", requests, want)
		}
		if *params.Offset != 8 {
			t.Error("the caller's parameters were changed")
		}
	}
}

func TestPageNumberFromTheResult(t *testing.T) {
	var log flowLog
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		log.add(r.URL.RawQuery)
		next := "null"
		if r.URL.Query().Get("page") == "1" {
			next = "7"
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[],"pages":`+next+`}`)
	})
	type numbered struct {
		Data  []order `json:"data"`
		Pages *int64  `json:"pages"`
	}
	op := listOp(Paging{Kind: PageNumber, Request: "Page", Next: []string{"Pages"}})
	ids(t, All[*numbered, order](t.Context(), c, op, Input{Params: &listParams{Page: 1}}, nil))
	if got := log.take(); !slices.Equal(got, []string{"page=1", "page=7"}) {
		t.Errorf("requests %q", got)
	}
}

func TestPageEvent(t *testing.T) {
	for _, tt := range []struct{ event, want Event }{
		{nil, nil},
		{Event{"search-", "7"}, Event{"search-", "7", "-page-", "c2"}},
		{Event{"search-", "7", "-all"}, Event{"search-", "7", "-all-page-", "c2"}},
	} {
		before := len(tt.event)
		if got := pageEvent(tt.event, "c2"); fmt.Sprint(got) != fmt.Sprint(tt.want) || len(tt.event) != before {
			t.Errorf("pageEvent(%v) = %v, want %v", tt.event, got, tt.want)
		}
	}
}

func TestAllOfABareArray(t *testing.T) {
	type orderArray []order
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.RawQuery == "" {
			w.Header().Set("Link", `<?after=2>; rel=next`)
		}
		_, _ = io.WriteString(w, `[{"ID":"1"},{"ID":"2"}]`)
	})
	op := listOp(Paging{Kind: LinkHeader})
	op.Paging.Items = nil
	got := ids(t, All[orderArray, order](t.Context(), c, op, Input{}, nil))
	if want := []string{"{1}", "{2}", "{1}", "{2}"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPageAtATime(t *testing.T) {
	var server orders
	c := flowClient(t, server.ServeHTTP)
	op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
	page, err := First[*orderList, order](t.Context(), c, op, Input{Params: &listParams{}}, nil)
	pages := 0
	for ; err == nil; page, err = page.Next(t.Context()) {
		pages++
		if page.Info.StatusCode != http.StatusOK || len(page.Items) != len(page.Value.Data) {
			t.Errorf("page %d: %+v", pages, page)
		}
		if page.HasNext() != (pages < 4) {
			t.Errorf("page %d: HasNext is %t", pages, page.HasNext())
		}
	}
	if !errors.Is(err, io.EOF) || pages != 4 {
		t.Errorf("%d pages, then %v", pages, err)
	}
}

// A page that could not be fetched is asked for again, with the same cursor, and that is no repeated cursor.
func TestNextAgainAfterAFailure(t *testing.T) {
	var server orders
	broken := true
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "6" && broken {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		server.ServeHTTP(w, r)
	})
	op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
	page, err := First[*orderList, order](t.Context(), c, op, Input{Params: &listParams{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := page.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := page.Next(t.Context()); err != nil || again.Items[0] != second.Items[0] {
		t.Fatalf("the second page again: %v", err)
	}
	var apiErr *Error
	if _, err := second.Next(t.Context()); !errors.As(err, &apiErr) || apiErr.StatusCode != http.StatusNotFound {
		t.Fatalf("the third page: %v", err)
	}
	broken = false
	third, err := second.Next(t.Context())
	if err != nil || third.Items[0].ID != "7" {
		t.Fatalf("the third page again: %v", err)
	}
}

func TestRepeatedCursor(t *testing.T) {
	for name, paging := range map[string]Paging{
		"cursor":    {Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}},
		"last item": {Kind: Cursor, Request: "After", LastItem: []string{"ID"}},
		"next URL":  {Kind: NextURL, Next: []string{"NextURL"}},
		"link":      {Kind: LinkHeader},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			c := flowClient(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header().Set("Content-Type", "application/json")
				id := strconv.Itoa(requests % 2) // a cycle of two
				w.Header().Set("Link", `<?c=`+id+`>; rel=next`)
				_, _ = io.WriteString(w, `{"data":[{"ID":"`+id+`"}],"next_cursor":"`+id+`","next_url":"?c=`+id+`"}`)
			})
			var got error
			items := 0
			for _, err := range All[*orderList, order](t.Context(), c, listOp(paging), Input{Params: &listParams{}}, nil) {
				if got = err; err == nil {
					items++
				}
			}
			var apiErr *Error
			if !errors.Is(got, ErrRepeatedCursor) || !errors.As(got, &apiErr) || apiErr.Operation != "listOrders" {
				t.Errorf("the list ended with %v", got)
			}
			if requests != 3 || items != 3 {
				t.Errorf("%d requests and %d items, want 3: what came before the error is good", requests, items)
			}
		})
	}
}

func TestForeignNextURL(t *testing.T) {
	var strays int
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strays++ }))
	defer stranger.Close()
	for name, paging := range map[string]Paging{
		"next URL": {Kind: NextURL, Next: []string{"NextURL"}},
		"link":     {Kind: LinkHeader},
	} {
		server := orders{base: stranger.URL}
		c := flowClient(t, server.ServeHTTP)
		var got error
		for _, err := range All[*orderList, order](t.Context(), c, listOp(paging), Input{}, nil) {
			got = err
		}
		var foreign *ForeignURLError
		if !errors.As(got, &foreign) || foreign.To != stranger.URL {
			t.Errorf("%s: the list ended with %v", name, got)
		}
		if strays > 0 || strings.Contains(fmt.Sprint(got), "cursor=") {
			t.Errorf("%s: %d requests went to the stranger; %v", name, strays, got)
		}
	}
}

// A redirect to another host gives that host no say in where the credentials go next.
func TestNextURLAfterARedirect(t *testing.T) {
	var authorised []string
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorised = append(authorised, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"ID":"1"}],"next_url":"/orders?cursor=2"}`)
	}))
	defer stranger.Close()
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stranger.URL+"/orders", http.StatusTemporaryRedirect)
	})
	var got error
	for _, err := range All[*orderList, order](t.Context(), c, listOp(Paging{Kind: NextURL, Next: []string{"NextURL"}}), Input{}, nil) {
		got = err
	}
	var foreign *ForeignURLError
	if !errors.As(got, &foreign) || !slices.Equal(authorised, []string{""}) {
		t.Errorf("got %v; the stranger was sent %q", got, authorised)
	}
}

func TestSameOrigin(t *testing.T) {
	tests := []struct{ origin, at, ref, want string }{
		{"https://api.example.com/v1", "https://api.example.com/v1/orders?page=1", "?page=2", "https://api.example.com/v1/orders?page=2"},
		{"https://api.example.com/v1", "https://api.example.com/v1/orders", "/v1/orders?page=2#top", "https://api.example.com/v1/orders?page=2"},
		{"https://api.example.com", "https://api.example.com/", "http://API.example.com/x", "https://api.example.com/x"},
		{"https://api.example.com", "https://api.example.com/", "http://api.example.com:80/x", "https://api.example.com/x"},
		{"https://api.example.com", "https://api.example.com/", "https://api.example.com:443/x", "https://api.example.com/x"},
		{"https://api.example.com", "https://api.example.com/", "https://user:pass@api.example.com/x", "https://api.example.com/x"},
		{"https://api.example.com:8443", "https://api.example.com:8443/", "https://api.example.com/x", ""},
		{"https://api.example.com", "https://api.example.com/", "https://api.example.com:8443/x", ""},
		{"https://api.example.com", "https://api.example.com/", "http://api.example.com:443/x", "https://api.example.com/x"},
		{"https://api.example.com", "https://api.example.com/", "//evil.example/x", ""},
		{"https://api.example.com", "https://api.example.com/", "https://api.example.com.evil.example/x", ""},
		{"https://api.example.com", "https://api.example.com/", "https://api.example.com@evil.example/x", ""},
		{"https://api.example.com", "https://api.example.com/", `https:\\evil.example/x`, ""},
		{"https://api.example.com", "https://api.example.com/", "ftp://api.example.com/x", ""},
		{"https://api.example.com", "https://api.example.com/", "mailto:a@api.example.com", ""},
		{"https://api.example.com", "https://api.example.com/", "http://[::1", ""},
		{"https://api.example.com", "https://other.example/", "/x", ""},
	}
	for _, tt := range tests {
		origin, _ := url.Parse(tt.origin)
		at, _ := url.Parse(tt.at)
		to, err := sameOrigin(origin, at, tt.ref)
		got := ""
		if err == nil {
			got = to.String()
		}
		if got != tt.want {
			t.Errorf("sameOrigin(%s, %s) = %q, %v; want %q", tt.origin, tt.ref, got, err, tt.want)
		}
	}
}

func FuzzSameOrigin(f *testing.F) {
	f.Add("/v1/orders?cursor=2")
	f.Add("//evil.example/x")
	f.Add(`http:\\\\api.example.com@evil.example:80/`)
	f.Add("https://api.example.com:443@evil.example")
	origin, _ := url.Parse("https://api.example.com/v1")
	f.Fuzz(func(t *testing.T, ref string) {
		to, err := sameOrigin(origin, origin, ref)
		if err != nil {
			return
		}
		again, err := url.Parse(to.String())
		if err != nil || again.Scheme != "https" || again.Host != "api.example.com" || again.User != nil {
			t.Errorf("%q leads to %q, %v", ref, to, err)
		}
	})
}

func TestNextLink(t *testing.T) {
	tests := []struct {
		fields []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{`<a>; rel="next"`}, "a"},
		{[]string{`<a>;rel=next`}, "a"},
		{[]string{`<a> ; REL = "Next"`}, "a"},
		{[]string{`<a>; rel="prev", <b>; rel="next"`}, "b"},
		{[]string{`<a>; rel="prev"`, `<b>; rel="next"`}, "b"},
		{[]string{`<a>; rel="prev next"`}, "a"},
		{[]string{`<a?x=1,2;3>; rel="next"`}, "a?x=1,2;3"},
		{[]string{`<a>; title="x, <b>; rel=next"; rel=prev`}, ""},
		{[]string{`<a>; title="\"x\""; rel=next`}, "a"},
		{[]string{`<a>; rel=prev; rel=next`}, ""},        // the first rel counts
		{[]string{`<a>; rel=next; anchor="/other"`}, ""}, // of another resource
		{[]string{`<a>; hreflang`}, ""},
		{[]string{`<a>; rel="next-archive"`}, ""},        // another relation
		{[]string{`<a>; crossorigin; rel=next`}, "a"},    // a parameter without value
		{[]string{`,, <a>; rel=next ,`}, "a"},            // empty elements
		{[]string{`<a; rel=next`, `<b>; rel=next`}, "b"}, // a broken field does not hide the next
		{[]string{`<a>; title="open; rel=next`}, ""},     // quote never closed
		{[]string{`<>; rel=next`}, ""},                   // the page itself is not its next page
		{[]string{`<a>; rel*=UTF-8''next`}, ""},          // not a parameter that RFC 8288 has
		{[]string{`<http://x/?a=1>; rel="next"; title*=UTF-8''n%c3%a4chste`}, "http://x/?a=1"},
	}
	for _, tt := range tests {
		if got := nextLink(tt.fields); got != tt.want {
			t.Errorf("nextLink(%q) = %q, want %q", tt.fields, got, tt.want)
		}
	}
}

func FuzzNextLink(f *testing.F) {
	f.Add(`<a>; rel="prev", <b>; rel="next"; title="x\"y"`)
	f.Add(`<;,="\`)
	f.Fuzz(func(t *testing.T, field string) {
		got := nextLink([]string{field})
		if !strings.Contains(field, got) {
			t.Errorf("%q is not in %q", got, field)
		}
	})
}

func TestAllLeavesEarly(t *testing.T) {
	var server orders
	c := flowClient(t, server.ServeHTTP)
	op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
	items := 0
	for range All[*orderList, order](t.Context(), c, op, Input{Params: &listParams{}}, nil) {
		if items++; items == 2 {
			break
		}
	}
	if requests := server.requests.take(); len(requests) != 1 {
		t.Errorf("%q were fetched for two items of the first page", requests)
	}
}

func TestAllEndsWithItsContext(t *testing.T) {
	var server orders
	c := flowClient(t, server.ServeHTTP)
	op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got error
	items := 0
	for _, err := range All[*orderList, order](ctx, c, op, Input{Params: &listParams{}}, nil) {
		if got = err; err == nil {
			items++
			cancel()
		}
	}
	if !errors.Is(got, context.Canceled) || items != 3 {
		t.Errorf("%d items, then %v", items, got)
	}
}

// Retries happen within a page: a page that fails once is the same page afterwards, and no item comes twice. The deadline
// is that of each page: the whole list takes longer.
func TestAllRetriesWithinAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var server orders
		failed := map[string]bool{}
		begin := time.Now()
		c := flowClientAt(t, WithDeadline(7*time.Second), WithTransport(flowTransport(func(req *http.Request) (*http.Response, error) {
			if at := req.URL.RequestURI(); !failed[at] {
				failed[at] = true
				return flowAnswer(req, http.StatusServiceUnavailable, http.Header{"Retry-After": {"5"}}, `{}`), nil
			}
			w := httptest.NewRecorder()
			server.ServeHTTP(w, req)
			resp := w.Result()
			resp.Request = req
			return resp, nil
		})))
		op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
		got := ids(t, All[*orderList, order](t.Context(), c, op, Input{Params: &listParams{}}, nil))
		if !slices.Equal(got, everyOrder) || len(failed) != 4 {
			t.Errorf("got %v after %d failures", got, len(failed))
		}
		if took := time.Since(begin); took < 20*time.Second {
			t.Errorf("four pages with a wait of 5 s each took %s", took)
		}
	})
}

func TestPagesInBodyHaveTheirOwnKeys(t *testing.T) {
	type search struct {
		Cursor *string `json:"cursor,omitempty"`
		Key    string  `json:"key,omitempty"`
	}
	pageKey := func(cursor string) string {
		key, err := keys.Event("page", "mine", cursor)(t.Context(), keys.Call{})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	tests := []struct {
		name   string
		header string
		event  Event
		opts   []Option
		want   []string // the keys of three pages; "" is a made one
	}{
		{name: "made", header: "Idempotency-Key", want: []string{"", "", ""}},
		{name: "caller's", header: "Idempotency-Key", opts: []Option{WithIdempotencyKey("mine")}, want: []string{"mine", pageKey("1"), pageKey("2")}},
		{
			name: "event", header: "Idempotency-Key", event: Event{"search-", "7"},
			want: []string{"search-7", "", ""},
		},
		{name: "in the body", want: []string{"", "", ""}},
		{name: "caller's in the body", opts: []Option{WithIdempotencyKey("mine")}, want: []string{"mine", pageKey("1"), pageKey("2")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sent, cursors []string
			c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
				var body search
				_ = json.NewDecoder(r.Body).Decode(&body)
				sent = append(sent, r.Header.Get("Idempotency-Key")+body.Key)
				if body.Cursor != nil {
					cursors = append(cursors, *body.Cursor)
				}
				next := ""
				if len(sent) < 3 {
					next = `,"next_cursor":"` + strconv.Itoa(len(sent)) + `"`
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"data":[{"ID":"1"}]`+next+`}`)
			})
			op := listOp(Paging{Kind: Cursor, Request: "Cursor", InBody: true, Next: []string{"NextCursor"}})
			op.Call.Method = http.MethodPost
			op.Call.Key = &transport.KeyRule{Header: tt.header}
			op.Body = Body{Type: "application/json"}
			body := &search{}
			in := Input{Body: body, Event: tt.event}
			if tt.header == "" {
				in.Key = &body.Key
			}
			ids(t, All[*orderList, order](t.Context(), c, op, in, tt.opts))
			if !slices.Equal(cursors, []string{"1", "2"}) || len(sent) != 3 {
				t.Fatalf("cursors %q, keys %q", cursors, sent)
			}
			for i, want := range tt.want {
				if want != "" && sent[i] != want {
					t.Errorf("page %d has the key %q, want %q", i, sent[i], want)
				}
			}
			if sent[0] == "" || sent[0] == sent[1] || sent[1] == sent[2] {
				t.Errorf("the keys are %q", sent)
			}
			if body.Cursor != nil {
				t.Error("the caller's body was changed")
			}
		})
	}
}

func TestPagingFieldThatIsNotThere(t *testing.T) {
	for name, in := range map[string]Input{"no parameters": {}, "another struct": {Params: &struct{ Other string }{}}} {
		var server orders
		c := flowClient(t, server.ServeHTTP)
		op := listOp(Paging{Kind: Cursor, Request: "Cursor", Next: []string{"NextCursor"}})
		page, err := First[*orderList, order](t.Context(), c, op, in, nil)
		if err != nil || !page.HasNext() {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := page.Next(t.Context()); !errors.Is(err, errField) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
