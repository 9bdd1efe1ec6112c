package meaning

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Case is one example of a document.
type Case struct {
	Type    string          `json:"type"`    // Go type expression in the generated package
	Request bool            `json:"request"` // it is also encoded as a client sends it
	Text    json.RawMessage `json:"text"`
}

// Outcome is what became of a case.
type Outcome struct {
	Refused string       `json:"refused,omitempty"` // the error of decoding
	Broken  string       `json:"broken,omitempty"`  // the error of encoding
	Kept    []Difference `json:"kept,omitempty"`    // between the example and the value encoded again
	Sent    []Difference `json:"sent,omitempty"`    // the same for a request
}

// Main reads the cases from the file that is the first argument and prints their outcomes as JSON lines, in order.
// Types gives a new value for each type expression.
func Main(types map[string]func() any) {
	if err := trips(types, os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func trips(types map[string]func() any, path string, w io.Writer) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var cases []Case
	if err := json.Unmarshal(data, &cases); err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	for _, c := range cases {
		o, err := trip(types[c.Type], c)
		if err != nil {
			return err
		}
		if err := encoder.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

func trip(newValue func() any, c Case) (o Outcome, err error) {
	v := newValue()
	if err := wire.Unmarshal(c.Text, v); err != nil {
		o.Refused = err.Error()
		return o, nil //nolint:nilerr // the outcome says it
	}
	text, err := wire.Marshal(v)
	if err != nil {
		o.Broken = err.Error()
		return o, nil //nolint:nilerr // the outcome says it
	}
	if o.Kept, err = Differences(c.Text, text); err != nil || !c.Request {
		return o, err
	}
	if text, err = wire.MarshalRequest(v); err != nil {
		o.Broken = err.Error()
		return o, nil //nolint:nilerr // the outcome says it
	}
	o.Sent, err = Differences(c.Text, text)
	return o, err
}
