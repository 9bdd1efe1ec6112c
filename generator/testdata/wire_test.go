package testdata_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	files "github.com/retrysafe/retrysafe/generator/testdata/files/want"
	names "github.com/retrysafe/retrysafe/generator/testdata/names/want"
	shapes "github.com/retrysafe/retrysafe/generator/testdata/shapes/want"
	wire "github.com/retrysafe/retrysafe/generator/testdata/wire/want"
	sdkwire "github.com/retrysafe/retrysafe/sdk/wire"
)

// server answers every request with that status, content type and body, and keeps the last request.
type server struct {
	*httptest.Server
	status       int
	media, body  string
	requests     atomic.Int32
	method, path string
	header       http.Header
	sent         string
}

func serve(t *testing.T, status int, media, body string) *server {
	t.Helper()
	s := &server{status: status, media: media, body: body}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		data, _ := io.ReadAll(r.Body)
		s.method, s.path, s.header, s.sent = r.Method, r.URL.EscapedPath(), r.Header, string(data)
		if s.media != "" {
			w.Header().Set("Content-Type", s.media)
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func wireClient(t *testing.T, s *server) *wire.Client {
	t.Helper()
	c, err := wire.New(wire.WithBaseURL(s.URL), wire.WithMaxAttempts(1))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ptr[T any](v T) *T { return &v }

func TestFormOfNestedValues(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusNoContent, "", "")
	err := wireClient(t, s).Charges.Create(context.Background(), wire.CreateChargeRequest{
		Amount: ptr(int64(5)), Labels: map[string]string{"order id": "a&b"},
		Items: []wire.CreateChargeRequestItem{{SKU: ptr("x")}, {SKU: ptr("y")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "amount=5&items%5B0%5D%5Bsku%5D=x&items%5B1%5D%5Bsku%5D=y&labels%5Border+id%5D=a%26b"
	if got := strings.ReplaceAll(s.sent, "%20", "+"); got != want || s.header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Errorf("sent %q as %q", s.sent, s.header.Get("Content-Type"))
	}
}

func TestMediaTypesWithParameters(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"application/json", "application/json;charset=UTF-8", "application/json; charset=utf-8"} {
		s := serve(t, http.StatusOK, media, `{"text": "hello"}`)
		got, err := wireClient(t, s).Notes.Get(context.Background(), "1")
		if err != nil || got.OKJSON == nil || *got.OKJSON.Text != "hello" || got.OKWireV2JSON != nil {
			t.Errorf("%s: %+v %v", media, got, err)
		}
	}
	s := serve(t, http.StatusOK, "application/vnd.wire.v2+json; charset=utf-8", `{"paragraphs": ["a"]}`)
	got, err := wireClient(t, s).Notes.Get(context.Background(), "1")
	if err != nil || got.OKWireV2JSON == nil || len(got.OKWireV2JSON.Paragraphs) != 1 {
		t.Errorf("second version: %+v %v", got, err)
	}
}

func TestPathValues(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusNoContent, "", "")
	c := wireClient(t, s)
	for value, want := range map[string]string{"a/b": "/accounts/acme/keys/a%2Fb", "a%b c?d#e": "/accounts/acme/keys/a%25b%20c%3Fd%23e"} {
		if err := c.Keys.Delete(context.Background(), "acme", value); err != nil || s.path != want {
			t.Errorf("%q is sent as %s, want %s (%v)", value, s.path, want, err)
		}
	}
	before := s.requests.Load()
	for _, value := range []string{".", "..", ""} {
		err := c.Keys.Delete(context.Background(), "acme", value)
		var param *sdkwire.ParamError
		if !errors.As(err, &param) || !strings.Contains(err.Error(), "key") {
			t.Errorf("%q: got %v, want an error that names the parameter", value, err)
		}
	}
	if n := s.requests.Load(); n != before {
		t.Errorf("%d requests for values that are refused", n-before)
	}
}

func TestAnswersWithoutABody(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent} {
		s := serve(t, status, "", "")
		var info wire.ResponseInfo
		if err := wireClient(t, s).Jobs.Cancel(context.Background(), "1", wire.WithResponse(&info)); err != nil || info.StatusCode != status {
			t.Errorf("%d: %v, status %d", status, err, info.StatusCode)
		}
	}
	s := serve(t, http.StatusInternalServerError, "application/json", `{"message": "broken"}`)
	err := wireClient(t, s).Jobs.Cancel(context.Background(), "1")
	var failure *wire.Failure
	var apiErr *wire.Error
	if !errors.As(err, &failure) || *failure.Message != "broken" || !errors.As(err, &apiErr) || apiErr.StatusCode != http.StatusInternalServerError {
		t.Errorf("got %v", err)
	}
}

func TestOptionalAndNullable(t *testing.T) {
	t.Parallel()
	for want, shape := range map[string]shapes.Shape{
		`{"kind":"circle","token":null,"unit":null}`:                       {},
		`{"kind":"circle","nickname":null,"token":null,"unit":"m"}`:        {Nickname: sdkwire.Null[string](), Unit: ptr("m")},
		`{"kind":"circle","nickname":"x","token":"t","unit":null}`:         {Nickname: sdkwire.Value("x"), Token: ptr("t")},
		`{"age":3,"kind":"circle","token":null,"unit":null,"value":5}`:     {Age: ptr(int64(3)), Value: ptr(shapes.NewShapeValueInteger(5))},
		`{"kind":"circle","pay":{"type":"card"},"token":null,"unit":null}`: {Pay: ptr(shapes.NewPayCard(shapes.Card{}))},
	} {
		data, err := json.Marshal(shape)
		if err != nil || canonical(t, data) != want {
			t.Errorf("got %s (%v), want %s", data, err, want)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"chain":{"name":"a","next":{"name":"b","next":null}},"kind":"circle","token":null,"unit":null}`,
		`{"kind":"circle","nested":[[],[[]]],"token":null,"unit":null}`,
		`{"form":{"additionalProperties":true,"id":"a","x":1},"kind":"circle","token":null,"unit":null}`,
		`{"both":{"additionalProperties":false,"extra":"e","y":2},"kind":"circle","token":null,"unit":null}`,
		`{"kind":"circle","mode":"unheard of","token":null,"unit":null,"value":"text"}`,
		`{"anything":{"deep":[1,"2",null]},"kind":"circle","token":null,"tuple":["a",1],"unit":null,"unknown":{"kept":true}}`,
		`{"kind":"circle","pay":{"iban":"NL","type":"transfer"},"token":null,"unit":null}`,
		`{"kind":"circle","pay":{"new":1,"type":"seashells"},"token":null,"unit":null}`,
	} {
		var shape shapes.Shape
		if err := json.Unmarshal([]byte(text), &shape); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		data, err := json.Marshal(shape)
		if err != nil || canonical(t, data) != text {
			t.Errorf("\n in  %s\n out %s (%v)", text, data, err)
		}
	}
}

// canonical sorts the members of objects.
func canonical(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNamesThatCouldClash(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK, "application/json", `{"tracking_id": "t1"}`)
	c, err := names.New(names.WithBaseURL(s.URL), names.WithMaxAttempts(1))
	if err != nil {
		t.Fatal(err)
	}
	var parcel *names.SendParcelResponse
	if parcel, err = c.Parcels.Send(context.Background()); err != nil || parcel.TrackingID != "t1" {
		t.Errorf("%+v %v", parcel, err)
	}
	s.status, s.body = http.StatusNoContent, ""
	for want, call := range map[string]func() error{
		"/people/x":   func() error { return c.People.GetByID(context.Background(), "x") },
		"/people/id":  func() error { return c.People.GetID(context.Background()) },
		"/people/id/": func() error { return c.People.GetIDSlash(context.Background()) },
	} {
		if err := call(); err != nil || s.path != want {
			t.Errorf("%s was asked, want %s (%v)", s.path, want, err)
		}
	}
	state := names.ParcelStateEnumPacked
	_ = names.Parcel{State: &state, Client: &names.ClientModel{StringValue: ptr("a")}}
	_ = names.ParcelState{Code: ptr(int64(1))}
	for value, want := range map[names.OrderBy]string{
		names.OrderByEmpty: "", names.OrderBy9z: "9z", names.OrderByUp: "up", names.OrderByMinusUp: "-up", names.OrderByPlusUp: "+up",
		names.OrderByUP: "UP", names.OrderByAB: "a b", names.OrderByAB2: "a_b", names.OrderByType: "type",
	} {
		if string(value) != want {
			t.Errorf("a constant is %q, want %q", value, want)
		}
	}
}

func TestOneTypeForEachFile(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK, "application/json", `[{"name": "a", "parent": {"name": "b"}}]`)
	c, err := files.New(files.WithBaseURL(s.URL), files.WithMaxAttempts(1))
	if err != nil {
		t.Fatal(err)
	}
	var sites []files.Site
	if sites, err = c.Sites.List(context.Background()); err != nil || sites[0].Parent.Name != "b" {
		t.Errorf("%+v %v", sites, err)
	}
	s.status = http.StatusNoContent
	if err := c.Sites.Add(context.Background(), files.NewSite{Owner: &sites[0]}); err != nil || !strings.Contains(s.sent, `"owner":{"name":"a"`) {
		t.Errorf("sent %s (%v)", s.sent, err)
	}
}

// A name that a struct tag cannot hold as it is still goes over the wire as the document writes it.
func TestNamesWithPunctuation(t *testing.T) {
	t.Parallel()
	const body = `{"":"0","-":"1","a,b":"2","a\"b":"3","a\\b":"4","a` + "`" + `b":"5","a'b":"6","a b":"7","kind":"x,y","mark":"x` + "`" + `,y"}`
	s := serve(t, http.StatusOK, "application/json", body)
	var query string
	handler := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		handler.ServeHTTP(w, r)
	})
	c, err := names.New(names.WithBaseURL(s.URL), names.WithMaxAttempts(1))
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Punctuation.Punctuate(t.Context(), names.Punctuation{Field: ptr("0"), AB3: ptr("2"), ABValue: ptr("3"), AB: ptr("7")},
		names.PunctuateParams{AB: ptr("1"), ABQuery: ptr("2"), AB2: ptr("3"), A2Cb: ptr("4")})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"":"0","a b":"7","a\"b":"3","a,b":"2","mark":"x` + "`" + `,y"}`; s.sent != want {
		t.Errorf("sent %s\nwant %s", s.sent, want)
	}
	if want := "a%2Cb=1&a%60b=2&a%22b=3&a%252Cb=4"; query != want {
		t.Errorf("query %s, want %s", query, want)
	}
	again, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]string
	if err := errors.Join(json.Unmarshal([]byte(body), &want), json.Unmarshal(again, &got)); err != nil {
		t.Fatal(err)
	}
	delete(want, "kind") // read only: it may come and is not sent
	delete(got, "kind")
	if !maps.Equal(want, got) {
		t.Errorf("decoded and encoded again: %v\nwant %v", got, want)
	}
	if len(out.ExtraFields) != 0 || out.Kind != "x,y" {
		t.Errorf("got %+v", out)
	}
}
