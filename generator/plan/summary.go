package plan

import (
	"cmp"
	"slices"
	"strings"
)

// summary counts what was made.
func (b *builder) summary() {
	s := &b.plan.Summary
	s.Operations = len(b.ops)
	s.Types = len(b.plan.Types)
	s.Widened = b.widest + len(b.doc.Widened)
	s.KeyedFrom, s.NotRetried = map[string]int{}, map[string]int{}
	for range b.plan.All() {
		s.Services++
	}
	for _, o := range b.ops {
		m := o.method
		if m.Key != nil {
			s.KeyedFrom[m.Key.From]++
		}
		if why := m.NotRepeated(); why != "" {
			s.NotRetried[why]++
		} else if m.Idempotent {
			s.Safe++
		}
	}
	slices.Sort(s.DroppedStrings)
	s.DroppedStrings = slices.Compact(s.DroppedStrings)
	slices.SortStableFunc(b.plan.Names, func(x, y Name) int {
		return cmp.Or(strings.Compare(x.Pointer, y.Pointer), strings.Compare(x.Kind, y.Kind))
	})
	b.plan.Warnings = slices.Clone(b.doc.Diagnostics)
	slices.SortStableFunc(b.plan.Warnings, func(x, y Diagnostic) int {
		return cmp.Or(strings.Compare(x.Pos.File, y.Pos.File), cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col), strings.Compare(x.Code, y.Code))
	})
	b.plan.Warnings = slices.Compact(b.plan.Warnings)
}

// NotRepeated says why the SDK does not send the operation again when nobody knows what became of it; "" when it does.
func (m *Method) NotRepeated() string {
	switch {
	case m.Retry.Disabled:
		return "retries are switched off in the document"
	case m.Idempotent, m.Key != nil:
		return ""
	case m.SafeFrom == "x-retry":
		return "declared as not safe to repeat"
	default:
		return m.HTTP + " that declares no idempotency key"
	}
}
