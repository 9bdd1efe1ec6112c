package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client"
)

func TestRefreshToken(t *testing.T) {
	for _, tt := range []struct{ name, secret, sent string }{
		{"confidential client", "s3", "basic me s3"},
		{"public client", "", "form me "},
		{"credentials in the form", "form", "form me form"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sent []string
			tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id, secret, ok := r.BasicAuth()
				how := "basic"
				if !ok {
					how, id, secret = "form", r.FormValue("client_id"), r.FormValue("client_secret")
				}
				if how == "basic" && secret == "form" {
					answer(w, 401, "application/json", `{"error":"invalid_client"}`)
					return
				}
				sent = append(sent, fmt.Sprintf("%s %s %s", how, id, secret))
				n := len(sent)
				if r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != fmt.Sprintf("R%d", n) {
					answer(w, 400, "application/json", `{"error":"invalid_grant"}`)
					return
				}
				answer(w, 200, "application/json", fmt.Sprintf(`{"access_token":"A%d","refresh_token":"R%d"}`, n, n+1))
			}))
			defer tokens.Close()
			var presented, kept []string
			c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(w http.ResponseWriter, r *http.Request) {
				token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				presented = append(presented, token)
				if token == "A1" && len(presented) > 1 { // the first token ends after one call
					w.WriteHeader(http.StatusUnauthorized)
				}
			}, client.WithRefreshToken("b", tokens.URL, "me", tt.secret, "R1", func(next string) { kept = append(kept, next) }))
			for range 2 {
				if err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(presented, []string{"A1", "A1", "A2"}) || !slices.Equal(kept, []string{"R2", "R3"}) {
				t.Errorf("presented %q, kept %q", presented, kept)
			}
			if !slices.Equal(sent, []string{tt.sent, tt.sent}) {
				t.Errorf("token requests %q, want %q", sent, tt.sent)
			}
		})
	}
}

// A refresh whose answer is lost is not made twice: the server may take that for a stolen token.
func TestRefreshIsNotRepeated(t *testing.T) {
	n := 0
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer tokens.Close()
	c := serve(t, api(client.Scheme{Name: "b", Kind: client.OAuth2}), func(http.ResponseWriter, *http.Request) {},
		client.WithRefreshToken("b", tokens.URL, "me", "s3", "R1", nil))
	err := c.Exec(t.Context(), &opDelete, client.Input{Path: []any{"a"}}, nil)
	if err == nil || n != 1 || strings.Contains(err.Error(), "R1") {
		t.Errorf("%v after %d requests", err, n)
	}
}
