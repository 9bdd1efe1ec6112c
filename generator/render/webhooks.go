package render

func (r *renderer) printWebhooks() error { return nil }
