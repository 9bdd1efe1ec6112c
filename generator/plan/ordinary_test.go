package plan_test

import "testing"

func TestCommentsBeginWithTheName(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
paths: {}
components:
  schemas:
    Payment: {type: object, description: Money that comes in.}
    Account: {type: object, description: Stripe account of a shop.}
    Link: {type: object, description: An address of a page.}
    Token: {type: object, description: OAuth token.}
    Holder: {type: object, description: 'Somebody, or a company.'}
    Range: {type: object, description: Range of days.}
`)
	for name, want := range map[string]string{
		"Payment": "Payment: money that comes in.", "Account": "Account: Stripe account of a shop.", "Link": "Link is an address of a page.",
		"Token": "Token: OAuth token.", "Holder": "Holder: somebody, or a company.", "Range": "Range of days.",
	} {
		if got := typeOf(t, p, name).Doc; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
