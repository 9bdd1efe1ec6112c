package render

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

type optionView struct{ Comment, Signature, Call string }

// options are those of every SDK, in the order in which they are printed.
var options = []struct{ name, params, args, doc string }{
	{"WithBaseURL", "base string", "base", "sends everything to this URL, which may have a path. Default: %s_BASE_URL, then the API's first server."},
	{"WithHTTPClient", "h *http.Client", "h", "sends through h. It is for [New]."},
	{"WithTransport", "rt http.RoundTripper", "rt", "carries the attempts on rt. It is for [New]."},
	{"WithEnv", "lookup func(name string) string", "lookup", "reads environment variables through lookup; nil reads none. It is for [New]."},
	{"WithHeader", "name, value string", "name, value", "sets a header on every request."},
	{"WithQuery", "name, value string", "name, value", "adds a query parameter to every request."},
	{"WithUserAgent", "product string", "product", "puts product before the SDK's own in the User-Agent header."},
	{"WithMiddleware", "m ...client.Middleware", "m...", "wraps each call, the first one given outermost."},
	{"WithAttemptMiddleware", "m client.Middleware", "m", "wraps each attempt, inside the retries: the place for signing and tracing."},
	{"WithIdempotencyKey", "key string", "key", "sends key with one call: store it with the intent, and a call after a crash is the same call."},
	{"WithKeySource", "source keys.Source", "source", "makes the keys of calls."},
	{"WithMaxAttempts", "n int", "n", "bounds the attempts of a call, the first one included. Default 3."},
	{"WithDeadline", oneDuration, "d", "bounds a call with all attempts and waits. Default 30 s, or the context's deadline if that is earlier."},
	{"WithAttemptTimeout", oneDuration, "d", "bounds one attempt. Default 10 s."},
	{"WithBackoff", "b retry.Backoff", "b", "sets the waits between attempts."},
	{"WithBudget", "b budget.Budget", "b", "sets what retries may cost; nil switches the budget off."},
	{"WithRetryAfterLimit", oneDuration, "d", "bounds the wait that the server may ask for. Default 60 s."},
	{"WithLogger", "l *slog.Logger", "l", "logs retries at Warn; nil logs nothing. Default slog.Default()."},
	{"WithHook", "h transport.Hook", "h", "reports every attempt and decision."},
	{"WithResponse", "info *ResponseInfo", "info", "fills info with status, headers, attempts and key of one call."},
	{"WithDryRun", "req **http.Request", "req", "builds the request of one call and returns [ErrDryRun] without sending it."},
}

const (
	variableDoc = "sets one variable of the server's URL."
	progressDoc = "calls f as a request body goes out; total is -1 when it is not known."
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
	for _, s := range r.plan.Schemes {
		views = append(views, credentialOptions(s)...)
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
