package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// readBackLimit is the most that is read of an answer that shows effects.
const readBackLimit = 4 << 20

// commandTimeout bounds a hook and the command that counts.
const commandTimeout = 30 * time.Second

// reader follows no redirect: the caller's headers are for one host.
var reader = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// counter makes the function that counts the effects of a marker.
func (b readBack) counter(base string, sign func(*http.Request, string)) func(context.Context, string) (int, error) {
	if len(b.Command) > 0 {
		return func(ctx context.Context, mark string) (int, error) {
			args := make([]string, len(b.Command))
			for i, arg := range b.Command {
				args[i] = strings.ReplaceAll(arg, marker, mark)
			}
			out, err := run(ctx, args)
			if err != nil {
				return 0, err
			}
			n, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil {
				return 0, fmt.Errorf("command %s printed %.100q, which is not a number", args[0], out)
			}
			return n, nil
		}
	}
	return func(ctx context.Context, mark string) (int, error) {
		path := strings.ReplaceAll(b.Get, marker, mark)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, http.NoBody)
		if err != nil {
			return 0, err
		}
		sign(req, "A")
		n, err := b.get(req, mark)
		if err != nil {
			return 0, fmt.Errorf("GET %s: %w", path, err)
		}
		return n, nil
	}
}

func (b readBack) get(req *http.Request, mark string) (int, error) {
	resp, err := reader.Do(req) //nolint:gosec // the address is the owner's
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return 0, nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, readBackLimit+1))
	switch {
	case err != nil:
		return 0, err
	case resp.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("status %d, want 200, or 404 where there are none", resp.StatusCode)
	case len(text) > readBackLimit:
		return 0, fmt.Errorf("the answer is longer than %d bytes; make it show the effects of one marker only", readBackLimit)
	}
	return count(text, b.Count, mark)
}

// count reads a number, or the length of a list, out of JSON. A member that is named by the marker and not there is none.
func count(text []byte, path, mark string) (int, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return 0, fmt.Errorf("the answer is not JSON: %w", err)
	}
	for member := range strings.SplitSeq(path, ".") {
		if member == "" {
			continue
		}
		name := strings.ReplaceAll(member, marker, mark)
		object, _ := value.(map[string]any)
		inner, ok := object[name]
		switch {
		case !ok && object != nil && name != member:
			return 0, nil
		case !ok:
			return 0, fmt.Errorf("the answer has no %s (effects.count is %q)", member, path)
		}
		value = inner
	}
	switch value := value.(type) {
	case []any:
		return len(value), nil
	case json.Number:
		n, err := strconv.Atoi(value.String())
		if err != nil {
			return 0, fmt.Errorf("%s is %s, which is not a whole number", path, value)
		}
		return n, nil
	default:
		return 0, fmt.Errorf("what effects.count %q names is neither a list nor a number", path)
	}
}

func (f *file) hooks() map[string]func(context.Context) error {
	hooks := map[string]func(context.Context) error{}
	for name, command := range f.Hooks {
		hooks[name] = func(ctx context.Context) error {
			_, err := run(ctx, command)
			return err
		}
	}
	return hooks
}

// run runs a command to its end. Its error holds the last of what it said.
func run(ctx context.Context, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the command is the owner's
	cmd.Stdout, cmd.Stderr = &out, &complaints
	cmd.WaitDelay = time.Second // a hook may leave a server behind that holds the pipes
	err := cmd.Run()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		text := strings.TrimSpace(complaints.String())
		return nil, fmt.Errorf("command %s: %w: %s", args[0], err, text[max(0, len(text)-300):])
	}
	return out.Bytes(), nil
}
