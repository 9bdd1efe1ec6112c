package main

import (
	"context"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
)

// generated is the SDK with its defaults, but for the timeout that all three have. Each call is handed to done when it
// has ended.
func generated(s settings, t *tally, done func(*call)) maker {
	return func(baseURL string) (buyer, error) {
		client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken(token),
			sdk.WithAttemptTimeout(s.timeout), sdk.WithHook(t.hook), sdk.WithLogger(nil))
		if err != nil {
			return buyer{}, err
		}
		b := sdkBuyer{client: client, done: done}
		return buyer{order: b.order, pay: b.pay, close: client.CloseIdleConnections}, nil
	}
}

type sdkBuyer struct {
	client *sdk.Client
	done   func(*call)
}

func (b sdkBuyer) order(ctx context.Context, intent string) (string, error) {
	var info sdk.ResponseInfo
	c := &call{intent: intent}
	order, err := b.client.Orders.Create(context.WithValue(ctx, callKey{}, c), sdk.CreateOrderRequest{
		OrderRef: intent, CustomerID: "cus_1", Currency: sdk.CurrencyEUR,
		Lines: []sdk.OrderLine{{SKU: sku, Quantity: quantity}},
	}, sdk.WithResponse(&info), sdk.WithHeader(shop.IntentHeader, intent))
	b.end(c, info, err)
	if err != nil {
		return "", err
	}
	return order.ID, nil
}

func (b sdkBuyer) pay(ctx context.Context, intent, orderID string) error {
	var info sdk.ResponseInfo
	c := &call{intent: intent}
	_, err := b.client.Payments.Create(context.WithValue(ctx, callKey{}, c), sdk.CreatePaymentRequest{
		OrderID: orderID, Amount: price, Currency: sdk.CurrencyEUR, Metadata: map[string]string{"intent": intent},
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	}, sdk.WithResponse(&info), sdk.WithHeader(shop.IntentHeader, intent))
	b.end(c, info, err)
	return err
}

func (b sdkBuyer) end(c *call, info sdk.ResponseInfo, err error) {
	c.replayed, c.failure = info.Replayed, err
	b.done(c)
}
