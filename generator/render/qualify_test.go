package render

import "testing"

func TestQualified(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`"a", Order{ID: "1", Kind: KindX, Sub: &Sub{N: 1}}`, `"a", shop.Order{ID: "1", Kind: shop.KindX, Sub: &shop.Sub{N: 1}}`},
		{`[]Order{{ID: "Order"}}, map[string]Order{"A": {}}`, `[]shop.Order{{ID: "Order"}}, map[string]shop.Order{"A": {}}`},
		{`NewMethodCard(Card{}), wire.Date{Year: 1}, time.Now()`, `shop.NewMethodCard(shop.Card{}), wire.Date{Year: 1}, time.Now()`},
		{`not go (`, `not go (`},
		{``, ``},
	} {
		if got := qualified(tt.args, "shop."); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.args, got, tt.want)
		}
	}
}
