package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// happened adds an event to the stream of orders. The mutex is held.
func (s *Shop) happened(kind string, o *order) {
	s.state.events = append(s.state.events, orderEvent{
		Type: kind, OrderID: o.ID, At: s.opts.Now().UTC(), id: len(s.state.events) + 1, customerID: o.CustomerID,
	})
	close(s.wake)
	s.wake = make(chan struct{})
}

// eventsAfter are the events that came after the one called last, and a channel that closes when there are more.
func (s *Shop) eventsAfter(last int) ([]orderEvent, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last = min(max(last, 0), len(s.state.events))
	return append([]orderEvent{}, s.state.events[last:]...), s.wake
}

// watchOrders streams server-sent events until the client leaves.
func (s *Shop) watchOrders(w http.ResponseWriter, r *http.Request) {
	last, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	only := r.URL.Query().Get("customer_id")
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for {
		events, more := s.eventsAfter(last)
		for _, event := range events {
			last = event.id
			if only != "" && only != event.customerID {
				continue
			}
			data, err := json.Marshal(event)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", event.id, data); err != nil {
				return
			}
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

// notify hands a webhook event to the hook of the options. The mutex is held, so the hook must not call the shop.
func (s *Shop) notify(kind string, data any) {
	if s.opts.Hook == nil {
		return
	}
	now := s.opts.Now().UTC()
	body, err := json.Marshal(map[string]any{"type": kind, "timestamp": now, "data": data})
	if err != nil {
		return
	}
	s.opts.Hook(Sign(s.opts.HookSecret, s.state.id("msg"), now, body), body)
}

// Sign makes the three headers of the Standard Webhooks scheme (standardwebhooks.com, version 1): the message's
// identifier, the time in seconds, and the HMAC-SHA256 over both and the body.
func Sign(secret, id string, at time.Time, body []byte) http.Header {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		key = []byte(secret)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	header := http.Header{}
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	header.Set("Content-Type", "application/json")
	return header
}
