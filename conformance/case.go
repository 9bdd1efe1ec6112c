package conformance

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"
)

//go:embed cases/*.yaml
var embedded embed.FS

// Level is how binding a case is.
type Level string

// The levels. An info case never fails: it reports what the server does.
const (
	Must   Level = "must"
	Should Level = "should"
	Info   Level = "info"
)

// Case is a sequence of requests and what is expected of the answers.
type Case struct {
	ID    string `yaml:"id"`
	Level Level  `yaml:"level"`
	Title string `yaml:"title"`
	// Needs names what the target must offer: hooks, faults and callers beside plain requests.
	Needs  []string `yaml:"needs"`
	Steps  []Step   `yaml:"steps"`
	Expect Expect   `yaml:"expect"`
}

// Step is one of its fields.
type Step struct {
	Send     *Send     `yaml:"send"`     // a request, and wait for its answer
	Start    *Send     `yaml:"start"`    // a request, and go on; joined at the end
	Parallel *Burst    `yaml:"parallel"` // many at once
	Stagger  *Burst    `yaml:"stagger"`  // many, one shortly after the other, for several keys
	Wait     *Duration `yaml:"wait"`
	Hook     string    `yaml:"hook"`
}

// Duration is a time that may depend on the target.
type Duration struct {
	Millis int  `yaml:"ms"`
	Lease  bool `yaml:"lease"`  // plus the target's lease
	Window bool `yaml:"window"` // plus the target's short replay window
}

// Send is a request.
type Send struct {
	As     string `yaml:"as"`
	Method string `yaml:"method"` // POST by default
	To     string `yaml:"to"`     // name of a path of the target, "create" by default
	Query  string `yaml:"query"`
	// Key is made unique for each run by a text in front of it; K1 by default. Suffix puts that text behind it, and Literal
	// leaves it out.
	Key     string `yaml:"key"`
	Literal bool   `yaml:"literal"`
	Suffix  bool   `yaml:"suffix"`
	NoKey   bool   `yaml:"no_key"`
	Empty   bool   `yaml:"empty_key"`
	Twice   bool   `yaml:"two_keys"`
	Quoted  bool   `yaml:"quoted"`
	// Length fills the key up in front.
	Length int `yaml:"key_length"`
	// Body names a variant, A by default; Raw is a text in which MARKER is replaced. Reorder turns the members of a JSON
	// object around and spaces them out.
	Body    string            `yaml:"body"`
	Raw     string            `yaml:"raw"`
	Reorder bool              `yaml:"reorder"`
	Pad     int               `yaml:"pad"` // bytes in front of the variant
	Type    string            `yaml:"type"`
	Caller  string            `yaml:"caller"` // name of a caller of the target, A by default
	Header  map[string]string `yaml:"header"`
	Fault   map[string]string `yaml:"fault"`
	// HangUp closes the connection after so many milliseconds.
	HangUp int  `yaml:"hang_up"`
	Fresh  bool `yaml:"fresh"` // over a new connection
	// Settle repeats the request while the answer is "in progress", or none, for so many milliseconds.
	Settle int `yaml:"settle"`
}

// Burst is a request many times over.
type Burst struct {
	N         int  `yaml:"n"`
	StepMicro int  `yaml:"step_us"`
	Keys      int  `yaml:"keys"` // for stagger: how many keys, one after the other
	OwnKeys   bool `yaml:"own_keys"`
	Send      Send `yaml:"send"`
}

// Expect is what must hold when all steps are done.
type Expect struct {
	Effects *Range `yaml:"effects"`
	// NoneIfKept names an answer: no effect is as right when it replays a failure, for then the server undid what the
	// failed request did, and says so to every repeat.
	NoneIfKept string            `yaml:"none_if_failure_kept"`
	Answers    map[string]Answer `yaml:"answers"`
	// All holds for every answer of the bursts.
	All *Answer `yaml:"all"`
	// OneBody says that the successful answers of the bursts have one body.
	OneBody bool `yaml:"one_body"`
	// PerKey says that every key of a stagger has one effect.
	PerKey bool `yaml:"one_effect_per_key"`
	// WallMillis bounds the time of the bursts.
	WallMillis int `yaml:"wall_ms"`
	// Report names the answer that an info case tells of.
	Report string `yaml:"report"`
}

// Range is a number, or a pair of bounds.
type Range struct{ Min, Max int }

// UnmarshalYAML reads 1 as well as [0, 1].
func (r *Range) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		if err := node.Decode(&r.Min); err != nil {
			return err
		}
		r.Max = r.Min
		return nil
	}
	var pair [2]int
	if err := node.Decode(&pair); err != nil {
		return err
	}
	r.Min, r.Max = pair[0], pair[1]
	return nil
}

// Answer is what is expected of one answer. Empty fields are not looked at.
type Answer struct {
	Status      []string          `yaml:"status"` // 201, or a class such as 2xx
	Code        string            `yaml:"code"`   // reused or in_progress: the target's own code for it
	NotCode     string            `yaml:"not_code"`
	Header      map[string]string `yaml:"header"`  // a value, or present, or absent; fresh for a Date later than that of same_as
	SameAs      string            `yaml:"same_as"` // status and body of another answer
	SameHeaders []string          `yaml:"same_headers"`
	DiffersFrom string            `yaml:"differs_from"` // its body
	Marked      *bool             `yaml:"marked"`       // as a replay
	Excludes    []string          `yaml:"excludes"`     // texts, and BODY:r1 for the values in that answer's body
	IfSuccess   *Answer           `yaml:"if_success"`   // further expectations for a 2xx
}

// Cases loads the embedded cases in the order of their files.
func Cases() ([]Case, error) {
	files, err := fs.Glob(embedded, "cases/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, file := range files {
		text, err := embedded.ReadFile(file)
		if err != nil {
			return nil, err
		}
		cases, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, cases...)
	}
	return all, nil
}

// Parse reads a file of cases. A field that is not known is an error.
func Parse(text []byte) ([]Case, error) {
	return parse[Case](text)
}

// parse reads cases of either kind.
func parse[T any](text []byte) ([]T, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var cases []T
	if err := dec.Decode(&cases); err != nil {
		return nil, err
	}
	return cases, nil
}
