package conformance

import (
	"encoding/json"
	"net/http"
)

// answer is what came back for one request.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // no answer at all
	key    string
	sent   []byte
}

// code is the member "code" of a JSON body, or "" without one.
func (a answer) code() string {
	var p struct {
		Code string `json:"code"`
	}
	if json.Unmarshal([]byte(a.body), &p) != nil {
		return ""
	}
	return p.Code
}

func (a answer) success() bool { return a.err == nil && a.status >= 200 && a.status < 300 }

// marked says that the answer calls itself a replay.
func (a answer) marked(header string) bool { return a.header.Get(header) == "true" }
