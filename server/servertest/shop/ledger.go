package shop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Ledger is a foreign system that takes a key of its own with every charge, as payment processors do.
type Ledger struct {
	mu      sync.Mutex
	charges map[string]string // by key
	markers map[string]int    // charges made, by marker
	calls   int
}

// NewLedger makes an empty ledger.
func NewLedger() *Ledger { return &Ledger{charges: map[string]string{}, markers: map[string]int{}} }

// Calls counts requests for a charge, and Made the charges that were made.
func (l *Ledger) Calls() (calls, made int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls, len(l.charges)
}

// Made counts the charges of a marker.
func (l *Ledger) Made(marker string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.markers[marker]
}

func (l *Ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	marker := r.FormValue("marker")
	if r.Method == http.MethodGet {
		fmt.Fprint(w, l.markers[marker])
		return
	}
	l.calls++
	key := r.FormValue("key")
	id, known := l.charges[key]
	if !known {
		id = rand.Text()
		l.charges[key] = id
		l.markers[marker]++
	}
	if err := json.NewEncoder(w).Encode(id); err != nil {
		return
	}
}

// Charge asks the ledger for a charge.
func Charge(ctx context.Context, ledger, key, marker string) (id string, err error) {
	form := url.Values{"key": {key}, "marker": {marker}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ledger, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return id, json.NewDecoder(resp.Body).Decode(&id)
}

// Charges asks the ledger how many charges a marker has.
func Charges(ctx context.Context, ledger, marker string) (n int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ledger+"?marker="+url.QueryEscape(marker), nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = fmt.Fscan(resp.Body, &n)
	return n, err
}
