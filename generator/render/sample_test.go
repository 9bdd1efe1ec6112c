package render

import (
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// A body that is given by its address is a literal in samples; the value of a call has no address.
func TestSampleOfABodyByPointer(t *testing.T) {
	types := map[string]*plan.Type{
		"Card":   {Name: "Card", Kind: plan.Struct},
		"Method": {Name: "Method", Kind: plan.Union, Variants: []*plan.Variant{{GoName: "Card", Type: "Card"}}},
	}
	s := sampler{types: types, prefix: "shop."}
	for name, want := range map[string]string{"Card": "pay(ctx, &shop.Card{})", "Method": "pay(ctx, nil)"} {
		m := &plan.Method{GoName: "pay", Bodies: []*plan.Body{{Type: name, ByPointer: true}}}
		if got := s.call(m, "c"); got != "c."+want {
			t.Errorf("%s: %s, want c.%s", name, got, want)
		}
	}
}
