package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// What each customer buys, and its price in cents.
const (
	sku      = "lamp-1"
	quantity = 2
	price    = 2 * 2990
)

// token is the bearer token; the shop takes any.
const token = "demo"

// buyer is one way to write the client. Its two functions send the two requests of a purchase.
type buyer struct {
	order func(ctx context.Context, intent string) (orderID string, err error)
	pay   func(ctx context.Context, intent, orderID string) error
	close func()
}

// maker makes a buyer that calls the shop at baseURL.
type maker func(baseURL string) (buyer, error)

// outcome is what one purchase told its caller; an intent that was not told well counts as failed.
type outcome struct {
	told   []string
	failed []string
}

// result is one run of all purchases with one buyer.
type result struct {
	intents int
	told    int // calls that came back well
	wrongly int // calls that came back with an error although the effect is there
	effects shop.Effects
	sent    int64 // requests that arrived at the server
	took    time.Duration
}

func (r result) happened() int {
	return shop.Total(r.effects.Orders) + shop.Total(r.effects.Payments)
}

// doubled is the number of effects beyond the first of their intent.
func (r result) doubled() int {
	return shop.Surplus(r.effects.Orders) + shop.Surplus(r.effects.Payments)
}

// lost is the number of intents without any effect.
func (r result) lost() int {
	return r.intents - len(r.effects.Orders) - len(r.effects.Payments)
}

// buyAll makes all purchases, an order and its payment each, against a shop of its own.
func buyAll(ctx context.Context, s settings, newBuyer maker) (result, error) {
	server, err := shop.Start(shop.Options{Faults: shop.Seeded(s.seed, s.mix(), s.limit)})
	if err != nil {
		return result{}, err
	}
	defer server.Close()
	b, err := newBuyer(server.URL)
	if err != nil {
		return result{}, err
	}
	defer b.close()

	begin := time.Now()
	outcomes := make([]outcome, s.orders)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range s.workers {
		workers.Go(func() {
			for n := range numbers {
				outcomes[n] = purchase(ctx, b, n+1)
			}
		})
	}
	for n := range s.orders {
		numbers <- n
	}
	close(numbers)
	workers.Wait()

	r := result{intents: 2 * s.orders, took: time.Since(begin), effects: server.Effects(), sent: server.Requests()}
	for _, o := range outcomes {
		r.told += len(o.told)
		for _, intent := range o.failed {
			if r.effects.Orders[intent]+r.effects.Payments[intent] > 0 {
				r.wrongly++
			}
		}
	}
	return r, ctx.Err()
}

// purchase orders and pays. Without the order's identifier there is nothing to pay for.
func purchase(ctx context.Context, b buyer, n int) outcome {
	var o outcome
	order, payment := fmt.Sprintf("order-%04d", n), fmt.Sprintf("pay-%04d", n)
	id, err := b.order(ctx, order)
	if err != nil {
		o.failed = append(o.failed, order)
		return o
	}
	o.told = append(o.told, order)
	if err := b.pay(ctx, payment, id); err != nil {
		o.failed = append(o.failed, payment)
		return o
	}
	o.told = append(o.told, payment)
	return o
}
