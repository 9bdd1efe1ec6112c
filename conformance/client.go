package conformance

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

//go:embed clients/*.yaml
var embeddedClients embed.FS

// ClientCase is a script of a faulty server, and what is expected of the client that meets it.
type ClientCase struct {
	ID    string `yaml:"id"`
	Level Level  `yaml:"level"`
	Title string `yaml:"title"`
	// Runs is how often the program runs, 1 by default.
	Runs    int          `yaml:"runs"`
	Replies []Reply      `yaml:"replies"`
	Expect  ClientExpect `yaml:"expect"`
}

// Reply answers one unsafe request. The last one of a case answers all that follow.
type Reply struct {
	OK     bool              `yaml:"ok"` // the answer of success
	Status int               `yaml:"status"`
	Code   string            `yaml:"code"` // of a problem document
	Header map[string]string `yaml:"header"`
	// Fault is reset (the connection breaks after the request was read), cut (the answer of success breaks off), or
	// elsewhere (a redirect to another host).
	Fault string `yaml:"fault"`
}

// ClientExpect is what must hold of the requests. Empty fields are not looked at.
type ClientExpect struct {
	Requests  *Range `yaml:"requests"`
	KeyOrOnce bool   `yaml:"key_or_once"` // one key on all requests, or one request
	OneBody   bool   `yaml:"one_body"`
	Keys      int    `yaml:"keys"`         // how many different ones
	FirstGap  int    `yaml:"first_gap_ms"` // least time between the first two, where there are two
	Exit      string `yaml:"exit"`         // success or failure
	// CredentialsStay says that the other host of a redirect is sent none.
	CredentialsStay bool `yaml:"credentials_stay"`
}

// Client is a program under test. It makes one call of an unsafe operation, which takes a key, to the server whose
// address is in its environment, and exits with 0 when the call succeeded.
type Client struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to this process's environment. The server's address comes with it, as RETRYSAFE_URL.
	Env []string
	// Status and Body are the answer of success, which is JSON. Status 0 is 201.
	Status int
	Body   []byte
	// KeyHeader carries the key. Defaults to Idempotency-Key.
	KeyHeader string
}

// EnvURL names the variable that tells the program where the server is.
const EnvURL = "RETRYSAFE_URL"

// ClientCases loads the embedded cases.
func ClientCases() ([]ClientCase, error) {
	text, err := embeddedClients.ReadFile("clients/clients.yaml")
	if err != nil {
		return nil, err
	}
	return ParseClientCases(text)
}

// ParseClientCases reads a file of cases. A field that is not known is an error.
func ParseClientCases(text []byte) ([]ClientCase, error) {
	return parse[ClientCase](text)
}

// RunClient runs the program against a server that plays the case. A program that cannot be started is a failure, and
// so is one that is still running when ctx ends; it is killed then.
func RunClient(ctx context.Context, client Client, c ClientCase) Result {
	result := Result{ID: c.ID, Level: c.Level, Title: c.Title, Verdict: Fail}
	began := time.Now()
	s, err := newScript(ctx, client, c.Replies)
	if err != nil {
		result.Detail = err.Error()
		return result
	}
	defer s.close()
	var succeeded bool
	var said string
	for range max(1, c.Runs) {
		if succeeded, said, err = client.run(ctx, s.url()); err != nil {
			result.Detail = err.Error()
			return result
		}
	}
	result.Took = time.Since(began)
	err = s.check(c.Expect, succeeded)
	switch {
	case c.Level == Info:
		result.Verdict, result.Detail = Reported, s.tell()
	case err != nil:
		result.Detail = err.Error()
		if !succeeded && said != "" {
			result.Detail += "\nthe program's last words: " + said
		}
	default:
		result.Verdict = Pass
	}
	return result
}

// run runs the program once, and gives the end of what it wrote to its standard error.
func (c Client) run(ctx context.Context, url string) (succeeded bool, said string, err error) {
	if len(c.Command) == 0 {
		return false, "", errors.New("conformance: a client needs a Command")
	}
	var complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...) //nolint:gosec // the program is the owner's
	cmd.Env = append(append(os.Environ(), c.Env...), EnvURL+"="+url)
	cmd.Stderr = &complaints
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	text := strings.TrimSpace(complaints.String())
	said = text[max(0, len(text)-300):]
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, said, fmt.Errorf("the program was still running: %w", ctx.Err())
	case err != nil && !errors.As(err, &exit):
		return false, said, fmt.Errorf("the program cannot be run: %w", err)
	}
	return err == nil, said, nil
}
