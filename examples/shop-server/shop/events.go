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

// happened adds an event to the stream of orders.
func (u *unit) happened(kind string, o *storedOrder) {
	number, err := u.tx.Add("shop", "event", 1)
	check(err)
	u.add(kindEvent, strconv.FormatInt(number, 10), "", &storedEvent{
		orderEvent: orderEvent{Type: kind, OrderID: o.ID, At: u.now}, Number: number, CustomerID: o.CustomerID,
	})
	u.watched = true
}

// wakeAll tells the watchers that something may have happened.
func (s *Shop) wakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.wake)
	s.wake = make(chan struct{})
}

func (s *Shop) woken() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wake
}

// pollEvents is how often watchers look by themselves: what another process does, and what is committed after its
// handler has returned, wakes nobody.
const pollEvents = 100 * time.Millisecond

// watchOrders streams server-sent events until the client leaves.
func (s *Shop) watchOrders(w http.ResponseWriter, r *http.Request) {
	last, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	only := r.URL.Query().Get("customer_id")
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	poll := time.NewTicker(pollEvents)
	defer poll.Stop()
	for {
		more := s.woken()
		var events []*storedEvent
		if err := s.run(r.Context(), func(u *unit) { events = list[storedEvent](u, kindEvent) }); err != nil {
			return
		}
		for _, event := range events {
			if event.Number <= last {
				continue
			}
			last = event.Number
			if only != "" && only != event.CustomerID {
				continue
			}
			data, err := json.Marshal(event.orderEvent)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", event.Number, data); err != nil {
				return
			}
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-poll.C:
		case <-r.Context().Done():
			return
		}
	}
}

// notify hands a webhook event to the hook of the options, inside the transaction: the hook must not call the shop.
func (u *unit) notify(kind string, data any) {
	opts := u.shop.opts
	if opts.Hook == nil {
		return
	}
	body, err := json.Marshal(map[string]any{"type": kind, "timestamp": u.now, "data": data})
	check(err)
	opts.Hook(Sign(opts.HookSecret, u.id("msg"), u.now, body), body)
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
