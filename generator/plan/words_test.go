package plan

import "testing"

func TestWordsOfNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, exported, unexported, file string }{
		{"order_id", "OrderID", "orderID", "order_id"},
		{"OrderIDs", "OrderIDs", "orderIDs", "order_ids"},
		{"ReservedIPv6Actions", "ReservedIPv6Actions", "reservedIPv6Actions", "reserved_ipv6_actions"},
		{"OAuth2Tokens", "OAuth2Tokens", "oAuth2Tokens", "oauth2_tokens"},
		{"TO" + "DOAuthors", "TO" + "DOAuthors", "todoAuthors", "todo_authors"},
		{"HTTPServer", "HTTPServer", "httpServer", "http_server"},
		{"GO_ON", "GoOn", "goOn", "go_on"},
		{"a.b-c d", "ABCD", "aBCD", "a_b_c_d"},
		{"linux", "Linux", "linux", "linux_api"},
	} {
		if got := exported(c.name, ""); got != c.exported {
			t.Errorf("%s: exported %s, want %s", c.name, got, c.exported)
		}
		if got := unexported(c.name); got != c.unexported {
			t.Errorf("%s: unexported %s, want %s", c.name, got, c.unexported)
		}
		if got := fileName(c.name); got != c.file {
			t.Errorf("%s: file %s, want %s", c.name, got, c.file)
		}
	}
}
