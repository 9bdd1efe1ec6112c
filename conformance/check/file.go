package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/retrysafe/retrysafe/conformance"
)

// file is a target as its owner describes it.
type file struct {
	URL   string            `yaml:"url"`
	Paths map[string]string `yaml:"paths"`
	// Bodies by variant: a text is sent as it is, and anything else as JSON. {marker} in it is replaced.
	Bodies    map[string]any `yaml:"bodies"`
	MediaType string         `yaml:"media_type"`
	// Callers are the headers of each, in which ${NAME} is a variable of the environment.
	Callers map[string]map[string]string `yaml:"callers"`
	Effects readBack                     `yaml:"effects"`

	KeyHeader    string `yaml:"key_header"`
	ReplayHeader string `yaml:"replay_header"`
	Codes        struct {
		Reused     string `yaml:"reused"`
		InProgress string `yaml:"in_progress"`
	} `yaml:"codes"`

	Lease  time.Duration `yaml:"lease"`
	Window time.Duration `yaml:"window"`
	Offers []string      `yaml:"offers"`
	// Hooks are commands by name.
	Hooks map[string][]string `yaml:"hooks"`
	// Fault is the header that asks for a fault, and its value, in which {name} and {value} are replaced.
	Fault struct {
		Header string `yaml:"header"`
		Value  string `yaml:"value"`
	} `yaml:"fault"`
}

// readBack says how effects are counted: a GET, or a command that prints the number.
type readBack struct {
	Get     string   `yaml:"get"`
	Count   string   `yaml:"count"` // the member of the answer that is the list or the number; a.b for one inside another
	Command []string `yaml:"command"`
}

// names are what the cases know.
var (
	pathNames   = []string{"create", "other", "item1", "item2", "optional", "waiting", "short", "phased", "long_keys"}
	bodyNames   = []string{"A", "B", "invalid"}
	offerNames  = []string{"optional", "waiting", "long_keys", "short_window", "phases", "load", "raw", "completer", "serialization"}
	callerNames = []string{"A", "B", "bad", "revocable", "a", "a:b"}
	hookNames   = []string{"kill", "restart", "break_store", "break_completion", "heal_store", "reap", "revoke", "expect_complete"}
)

// parse reads a file. Every fault of it is told at once.
func parse(text []byte, name string, env func(string) (string, bool)) (*file, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	f := &file{}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	errs := []error{f.needed(), f.known(), f.expand(env)}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func (f *file) needed() error {
	var errs []error
	if f.Paths["create"] == "" {
		errs = append(errs, errors.New("paths.create is missing: the path of a POST that has an effect and takes a key"))
	}
	if f.Bodies["A"] == nil {
		errs = append(errs, errors.New("bodies.A is missing: the body of that POST, with {marker} where its effects can be told by it"))
	}
	for _, name := range slices.Sorted(maps.Keys(f.Bodies)) {
		if text := encode(f.Bodies[name]); name != "invalid" && !bytes.Contains(text, []byte(marker)) {
			errs = append(errs, fmt.Errorf("bodies.%s has no %s: without it nobody can tell whose an effect is", name, marker))
		}
	}
	switch {
	case f.Effects.Get == "" && len(f.Effects.Command) == 0:
		errs = append(errs, errors.New("effects is missing: get (a path that shows them) or command (which prints their number)"))
	case f.Effects.Get != "" && len(f.Effects.Command) > 0:
		errs = append(errs, errors.New("effects has both get and command"))
	case !strings.Contains(f.Effects.Get+f.Effects.Count+strings.Join(f.Effects.Command, " "), marker):
		errs = append(errs, fmt.Errorf("effects has no %s: it would count those of all requests", marker))
	}
	return errors.Join(errs...)
}

// known refuses names that no case knows, which would be a case that is silently skipped.
func (f *file) known() error {
	var errs []error
	check := func(field string, names, known []string) {
		for _, name := range slices.Sorted(slices.Values(names)) {
			if !slices.Contains(known, name) {
				errs = append(errs, fmt.Errorf("%s: %q is not one of %s", field, name, strings.Join(known, ", ")))
			}
		}
	}
	check("paths", slices.Collect(maps.Keys(f.Paths)), pathNames)
	check("bodies", slices.Collect(maps.Keys(f.Bodies)), bodyNames)
	check("callers", slices.Collect(maps.Keys(f.Callers)), callerNames)
	check("hooks", slices.Collect(maps.Keys(f.Hooks)), hookNames)
	check("offers", f.Offers, offerNames)
	for _, name := range slices.Sorted(maps.Keys(f.Hooks)) {
		if len(f.Hooks[name]) == 0 {
			errs = append(errs, fmt.Errorf("hooks.%s has no command", name))
		}
	}
	if (f.Fault.Header == "") != (f.Fault.Value == "") {
		errs = append(errs, errors.New("fault needs a header and a value, such as X-Fault and {name}={value}"))
	}
	if slices.Contains(f.Offers, "short_window") && f.Window <= 0 {
		errs = append(errs, errors.New("offers short_window, and window is missing: the replay window of paths.short"))
	}
	if slices.Contains(f.Offers, "phases") && f.Lease <= 0 {
		errs = append(errs, errors.New("offers phases, and lease is missing: the lease of paths.phased"))
	}
	return errors.Join(errs...)
}

var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// expand puts variables of the environment into the callers' headers, so that the file holds no secret.
func (f *file) expand(env func(string) (string, bool)) error {
	var errs []error
	for _, caller := range slices.Sorted(maps.Keys(f.Callers)) {
		headers := f.Callers[caller]
		for _, header := range slices.Sorted(maps.Keys(headers)) {
			headers[header] = variable.ReplaceAllStringFunc(headers[header], func(ref string) string {
				text, ok := env(ref[2 : len(ref)-1])
				if !ok {
					errs = append(errs, fmt.Errorf("callers.%s.%s: the environment has no %s", caller, header, ref[2:len(ref)-1]))
				}
				return text
			})
		}
	}
	return errors.Join(errs...)
}

const marker = "{marker}"

// encode is a body's bytes. JSON of what YAML gave cannot fail, but for maps whose keys are no texts.
func encode(body any) []byte {
	if text, ok := body.(string); ok {
		return []byte(text)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return []byte(fmt.Sprint(body))
	}
	return text
}

// target makes of the file what the cases ask.
func (f *file) target(address string) (conformance.Target, error) {
	if address == "" {
		address = f.URL
	}
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return conformance.Target{}, fmt.Errorf("%q is not the address of a server: give --url, or url in the file, as http://host:port/base", address)
	}
	t := conformance.Target{
		URL: strings.TrimSuffix(address, "/"), Paths: f.Paths, Offers: f.Offers, Header: f.KeyHeader, Marker: f.ReplayHeader,
		Reused: f.Codes.Reused, InProgress: f.Codes.InProgress, Lease: f.Lease, Window: f.Window,
	}
	t.Body = func(mark, variant string) (string, []byte) {
		body, ok := f.Bodies[variant]
		if !ok {
			return "", nil
		}
		mediaType := f.MediaType
		if mediaType == "" {
			mediaType = "application/json"
		}
		return mediaType, bytes.ReplaceAll(encode(body), []byte(marker), []byte(mark))
	}
	if len(f.Callers) > 0 {
		t.Callers = slices.Sorted(maps.Keys(f.Callers))
		t.Authorize = f.sign
		if f.Callers["a"] != nil && f.Callers["a:b"] != nil {
			t.Offers = append(slices.Clone(t.Offers), "named_callers")
		}
	}
	if f.Fault.Header != "" {
		t.Fault = func(r *http.Request, name, value string) {
			r.Header.Add(f.Fault.Header, strings.NewReplacer("{name}", name, "{value}", value).Replace(f.Fault.Value))
		}
	}
	t.Hooks = f.hooks()
	t.Effects = f.Effects.counter(t.URL, f.sign)
	return t, nil
}

// sign sets the headers of a caller.
func (f *file) sign(r *http.Request, caller string) {
	for header, value := range f.Callers[caller] {
		r.Header.Set(header, value)
	}
}

// load reads the file of that name.
func load(name string) (*file, error) {
	text, err := os.ReadFile(name) //nolint:gosec // named on the command line
	if err != nil {
		return nil, err
	}
	return parse(text, name, os.LookupEnv)
}
