package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestTokensEnd(t *testing.T) {
	s := start(t, shop.Options{TokenUses: 1})
	c := client(t)
	base := strings.TrimSuffix(s.URL, "/v1")
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	if response, _, err := send(t, c, http.MethodPost, base+"/oauth/token", "grant_type=password", form...); err != nil || response.StatusCode != 400 {
		t.Errorf("wrong grant: %v %v", response, err)
	}
	_, body, err := send(t, c, http.MethodPost, base+"/oauth/token", "grant_type=client_credentials&client_id=a&client_secret=b", form...)
	if err != nil || !strings.Contains(string(body), `"token-1"`) {
		t.Fatalf("%s %v", body, err)
	}
	for _, want := range []int{200, 401} {
		response, _, err := send(t, c, http.MethodGet, s.URL+"/orders", "", "Authorization", "Bearer token-1")
		if err != nil || response.StatusCode != want {
			t.Errorf("%v %v, want %d", response, err, want)
		}
	}
}
