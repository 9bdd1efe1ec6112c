// Command oauth2 takes its tokens from golang.org/x/oauth2. A token that the server no longer accepts is replaced one
// time, whatever number of calls meets the 401, and each of them goes on.
package main

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"golang.org/x/oauth2/clientcredentials"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/client"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	tokenURL, err := url.Parse(baseURL)
	if err != nil {
		return err
	}
	tokenURL.Path = "/oauth/token"
	config := clientcredentials.Config{ClientID: "warehouse", ClientSecret: "secret", TokenURL: tokenURL.String()}
	fetch := func(ctx context.Context) (client.Token, error) {
		token, err := config.Token(ctx)
		if err != nil {
			return client.Token{}, err
		}
		fmt.Fprintln(out, "new token")
		return client.Token{Value: token.AccessToken, Expires: token.Expiry}, nil
	}
	shop, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerTokenSource(fetch))
	if err != nil {
		return err
	}
	for range 4 {
		page, err := shop.Orders.List(ctx, sdk.ListOrdersParams{})
		if err != nil {
			return err
		}
		fmt.Fprintln(out, len(page.Data), "orders")
	}
	return nil
}
