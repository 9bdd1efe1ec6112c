package fakeserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client/fakeserver"
)

var operations = []fakeserver.Operation{
	{ID: "get", Method: "GET", Path: "/orders/{id}", Status: 200, Type: "application/json", Body: `{"id":"1"}`},
	{ID: "mine", Method: "GET", Path: "/orders/mine", Status: 200},
	{ID: "create", Method: "POST", Path: "/orders", Status: 201},
	{ID: "file", Method: "GET", Path: "/files/{name}.{kind}", Status: 200},
	{ID: "odd", Method: "GET", Path: "/<odd>", Status: 200},
	{ID: "verb", Method: "POST", Path: "/orders/{id}:cancel", Status: 204},
}

func Example() {
	handler := fakeserver.New(operations)
	handler.Script("create", fakeserver.Answer{Status: 503})
	server := httptest.NewServer(handler)
	defer server.Close()
	for range 2 {
		resp, err := http.Post(server.URL+"/orders", "text/plain", strings.NewReader("x"))
		if err != nil {
			panic(err)
		}
		_ = resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	fmt.Println(len(handler.Requests("create")), handler.Requests("create")[1].Body)
	// Output:
	// 503
	// 201
	// 2 x
}

func TestFind(t *testing.T) {
	handler := fakeserver.New(operations)
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/orders/7", "get"},
		{"GET", "/orders/mine", "mine"},
		{"GET", "/orders/a%2Fb", "get"},
		{"POST", "/orders?x=1", "create"},
		{"GET", "/files/a.pdf", "file"},
		{"POST", "/orders/7:cancel", "verb"},
		{"GET", "/%3Codd%3E", "odd"},
		{"POST", "/orders/7", ""},
		{"GET", "/orders/", ""},
		{"PUT", "/orders", ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		all := handler.Requests("")
		if got := all[len(all)-1].Operation; got != tt.want || (resp.StatusCode == 404) != (tt.want == "") {
			t.Errorf("%s %s is %q with %d, want %q", tt.method, tt.path, got, resp.StatusCode, tt.want)
		}
	}
}

func TestDropAndHeaders(t *testing.T) {
	handler := fakeserver.New(operations)
	handler.Script("get", fakeserver.Answer{Drop: true}, fakeserver.Answer{Header: http.Header{"x-a": {"b"}}, Body: "hello"})
	server := httptest.NewServer(handler)
	defer server.Close()
	server.Config.ErrorLog = nil
	get := func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/orders/7", nil)
		if err != nil {
			t.Fatal(err)
		}
		return http.DefaultTransport.RoundTrip(req)
	}
	if resp, err := get(); err == nil {
		_ = resp.Body.Close()
		t.Error("an answer where the connection should have been dropped")
	}
	resp, err := get()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if string(body) != "hello" || resp.Header.Get("X-A") != "b" || resp.StatusCode != 200 {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
}

func TestAnswersOfOperations(t *testing.T) {
	handler := fakeserver.New([]fakeserver.Operation{
		{ID: "get", Method: "GET", Path: "/get", Status: 200, Header: map[string]string{"ETag": "7"}, Type: "application/json", Body: "{}"},
		{ID: "list", Method: "GET", Path: "/list", Status: 200, Body: "[1]", Further: &fakeserver.Further{Param: "page", First: "1", Body: "[]"}},
		{ID: "answer", Method: "GET", Path: "/answer", Status: 200, Type: "application/json", Body: "{}"},
		{ID: "answer", Method: "GET", Path: "/answer", Status: 200, Type: "text/event-stream", Body: "data: {}\n\n"},
		{ID: "watch", Method: "GET", Path: "/watch", Status: 200, Type: "text/event-stream", Body: "data: 1\n\n"},
	})
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, tt := range []struct{ path, after, want string }{
		{"/answer", "", "200  application/json {}"},
		{"/answer?text/event-stream, application/json", "", "200  text/event-stream data: {}\n\n"},
		{"/get", "", "200 7 application/json {}"},
		{"/list", "", "200   [1]"},
		{"/list?page=1&limit=5", "", "200   [1]"},
		{"/list?page=2", "", "200   []"},
		{"/watch", "", "200  text/event-stream data: 1\n\n"},
		{"/watch", "1", "204   "},
	} {
		path, accept, _ := strings.Cut(tt.path, "?text/")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if accept != "" {
			req.Header.Set("Accept", "text/"+accept)
		}
		if tt.after != "" {
			req.Header.Set("Last-Event-ID", tt.after)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
		if media == "text/plain" { // net/http's own guess
			media = ""
		}
		if got := fmt.Sprintf("%d %s %s %s", resp.StatusCode, resp.Header.Get("ETag"), media, body); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestScriptOfAnUnknownOperation(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, `"creat"`) {
			t.Errorf("it panics with %s", said)
		}
	}()
	fakeserver.New(operations).Script("creat", fakeserver.Answer{Status: 503})
}
