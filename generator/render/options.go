package render

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

type optionView struct{ Comment, Signature, Call string }

// options are those of every SDK, in the order in which they are printed.
var options = []struct{ name, params, args, doc string }{
	{
		"WithBaseURL", "base string", "base",
		"sends everything to this URL, which may have a path. One without a scheme is an error of [New] or of the call. " +
			"Default: %s_BASE_URL, then the API's first server.",
	},
	{
		"WithHTTPClient", "h *http.Client", "h",
		"sends through h: its transport carries the attempts, its cookie jar and its redirect policy are kept, its Timeout bounds a whole call. " +
			"It is for [New]. Default: a tuned clone of http.DefaultTransport.",
	},
	{"WithTransport", "rt http.RoundTripper", "rt", "carries the attempts on rt, without cookies. It is for [New]."},
	{
		"WithEnv", "lookup func(name string) string", "lookup",
		"reads environment variables through lookup; nil reads none. It is for [New]. Default: os.Getenv.",
	},
	{"WithHeader", "name, value string", "name, value", "sets a header on every request, over what the operation sets."},
	{"WithQuery", "name, value string", "name, value", "adds a query parameter to every request, beside those of the operation."},
	{"WithUserAgent", "product string", "product", "puts product, such as acme-shop/2.1, before the SDK's own in the User-Agent header."},
	{
		"WithMiddleware", "m ...client.Middleware", "m...",
		"wraps each call, whatever the number of its attempts; the first one given is the outermost. It runs on the goroutines of the calls.",
	},
	{
		"WithAttemptMiddleware", "m client.Middleware", "m",
		"wraps each attempt, inside the retries: the place for signing and tracing. It runs on the goroutines of the calls.",
	},
	{
		"WithIdempotencyKey", "key string", "key",
		"sends key with one call: store it with the intent, and a call after a crash is the same call. " +
			"With an operation that takes no key the call fails before anything is sent.",
	},
	{
		"WithKeySource", "source keys.Source", "source",
		"makes the keys of calls. Default: the event that the API's document names, the context's request scope, then a random UUID.",
	},
	{
		"WithMaxAttempts", "n int", "n",
		"bounds the attempts of a call, the first one included. Default: what the API's document says of the operation, else 3.",
	},
	{
		"WithDeadline", oneDuration, "d",
		"bounds a call with all attempts and waits; a context's deadline that is earlier wins. Default: what the API's document says of the operation, else 30 s.",
	},
	{
		"WithAttemptTimeout", oneDuration, "d",
		"bounds one attempt, which is retried when it takes longer. Default: what the API's document says of the operation, else 10 s; never more than is left of the deadline.",
	},
	{
		"WithBackoff", "b retry.Backoff", "b",
		"sets the waits between attempts. Default: full jitter from 50 ms, after a throttle from 1 s, up to 20 s.",
	},
	{
		"WithBudget", "b budget.Budget", "b",
		"sets what retries may cost; one budget may serve several clients, nil switches it off. " +
			"Default: a bucket of 500 tokens of this client, of which a retry takes 14, after a throttle 5.",
	},
	{
		"WithRetryAfterLimit", oneDuration, "d",
		"bounds the wait that the server may ask for; a longer one ends the call at once, with the wait in [Error]. Default 60 s.",
	},
	{"WithLogger", "l *slog.Logger", "l", "logs retries at Warn, and nothing else; nil logs nothing. Default slog.Default()."},
	{
		"WithHook", "h transport.Hook", "h",
		"reports every attempt and decision. It runs on the goroutines of the calls, so it must be quick and safe for concurrent use.",
	},
	{"WithResponse", "info *ResponseInfo", "info", "fills info with status, headers, attempts and key of one call, whether it succeeds or fails."},
	{"WithDryRun", "req **http.Request", "req", "builds the request of one call and returns [ErrDryRun] without sending it."},
}

const (
	variableDoc = "sets one variable of the server's URL. A value that the API does not name is an error of [New] or of the call."
	progressDoc = "calls f as a request body goes out, in bytes and on the goroutine that sends. A new attempt begins again at 0; total is -1 when it is not known."
)

func (r *renderer) printOptions() error {
	var views []optionView
	for _, o := range options {
		doc := strings.ReplaceAll(o.doc, "%s", r.plan.EnvPrefix)
		views = append(views, option(o.name, o.params, "client."+o.name+"("+o.args+")", doc))
	}
	if r.hasVariables() {
		views = append(views, option("WithServerVariable", "name, value string", "client.WithServerVariable(name, value)", variableDoc))
	}
	if r.hasUploads() {
		views = append(views, option("WithUploadProgress", "f func(sent, total int64)", "client.WithUploadProgress(f)", progressDoc))
	}
	taken := map[string]bool{}
	for _, s := range r.plan.Schemes {
		taken[s.Option] = true
	}
	for _, s := range r.plan.Schemes {
		views = append(views, credentialOptions(s)...)
		if schemeKinds[s.Kind] != "" && s.Option != "" && s.RefreshURL != "" {
			views = append(views, refreshOption(s, taken))
		}
	}
	return r.execute("options", "options.tmpl", map[string]any{"Options": views})
}

func option(name, params, call, doc string) optionView {
	return optionView{models.Comment(name+" "+doc, "", ""), name + "(" + params + ")", call}
}

// credentialOptions are the options by which a scheme gets its credentials.
func credentialOptions(s *plan.Scheme) []optionView {
	if s.Option == "" || schemeKinds[s.Kind] == "" {
		return nil
	}
	scheme := quote(s.Name)
	default1 := ""
	if len(s.Env) > 0 {
		default1 = " Default: " + strings.Join(s.Env, " and ") + " from the environment."
	}
	source := option(s.Option+"Source", "source client.TokenSource", "client.WithTokenSource("+scheme+", source)",
		"presents tokens from source, which is asked again when one has ended or was refused.")
	switch {
	case s.Kind == "basic":
		return []optionView{option(s.Option, "user, password string", "client.WithBasic("+scheme+", user, password)",
			"presents user and password."+default1)}
	case s.Kind == schemeAPIKey:
		return []optionView{option(s.Option, "key string", "client.WithSecret("+scheme+", key)", "presents an API key."+default1)}
	case s.ClientCredentials:
		url := quote(s.TokenURL)
		return []optionView{
			option(s.Option, "id, secret string, scopes ...string", "client.WithClientCredentials("+scheme+", "+url+", id, secret, scopes...)",
				"gets tokens by the OAuth 2 client credentials grant."+default1),
			source,
		}
	}
	return []optionView{option(s.Option, "token string", "client.WithSecret("+scheme+", token)", "presents a bearer token."+default1), source}
}

// refreshOption is the option for a refresh token of a scheme that has a flow which gives them.
func refreshOption(s *plan.Scheme, taken map[string]bool) optionView {
	name := strings.NewReplacer("AccessToken", "RefreshToken", "ClientCredentials", "RefreshToken").Replace(s.Option)
	if taken[name] {
		name = s.Option + "Refresh"
	}
	taken[name] = true
	return option(
		name, "id, secret, refreshToken string, kept func(refreshToken string)",
		"client.WithRefreshToken("+quote(s.Name)+", "+quote(s.RefreshURL)+", id, secret, refreshToken, kept)",
		"gets access tokens for a refresh token. An empty secret is that of a public client. kept, which may be nil, is called with a "+
			"refresh token that takes the place of the last one: store it. It is for [New].",
	)
}

func (r *renderer) hasVariables() bool {
	for _, s := range r.plan.Servers {
		if len(s.Variables) > 0 {
			return true
		}
	}
	for _, ref := range r.methods {
		for _, s := range ref.Servers {
			if len(s.Variables) > 0 {
				return true
			}
		}
	}
	return false
}

func (r *renderer) hasUploads() bool {
	for _, ref := range r.methods {
		for _, b := range ref.Bodies {
			if b.Kind == "multipart" || b.Kind == resultBinary {
				return true
			}
		}
	}
	return false
}
