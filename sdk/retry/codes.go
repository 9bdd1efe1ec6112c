package retry

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Machine codes that vendors use for the two conflicts of a key, lower case,
// without separators.
var (
	knownInProgress = []string{
		"idempotencyinprogress", "idempotencykeyinuse", "idempotencykeyinprogress",
		"idempotentrequestinprogress", "idempotencyrequestinprogress", "concurrentidempotentrequests",
		"idempotencyconcurrentrequest", "requestinprogress", "idempotencyconflictinprogress",
	}
	knownReused = []string{
		"idempotencykeyreused", "idempotencykeyalreadyused", "idempotencykeyalreadyusederror",
		"idempotencykeyparametermismatch", "idempotencykeymismatch", "idempotencymismatch",
		"idempotentparametermismatch", "invalididempotentrequest", "idempotencyerror",
		"idempotencykeyused", "idempotencykeyconflict", "idempotencypayloadmismatch",
	}
)

// classifyConflict looks for the two conflicts of a key; Permanent when the
// answer is neither.
func classifyConflict(status int, body []byte, rules Rules) Class {
	if status != http.StatusConflict && status != http.StatusUnprocessableEntity {
		return Permanent
	}

	codes := machineCodes(body)

	switch {
	case matches(codes, rules.ReusedCodes, knownReused):
		return KeyReused
	case status == http.StatusConflict && matches(codes, rules.InProgressCodes, knownInProgress):
		return InFlight
	}

	return Permanent
}

func matches(codes, declared, known []string) bool {
	if declared == nil {
		declared = known
	}

	for _, code := range codes {
		for _, want := range declared {
			if bare(code) == bare(want) {
				return true
			}
		}
	}

	return false
}

// bare makes codes comparable over spellings: the last segment of a problem
// type's URI, lower case, letters and digits only.
func bare(code string) string {
	code = code[strings.LastIndexAny(code, "/#:")+1:]

	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}

		return -1
	}, code)
}

// machineCodes returns the values of code, type and name of a JSON error, at
// the top, under "error" and in the first of "errors".
func machineCodes(body []byte) []string {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil
	}

	codes := codesOf(top)

	var inner map[string]json.RawMessage
	if json.Unmarshal(top["error"], &inner) == nil {
		codes = append(codes, codesOf(inner)...)
	} else if code := text(top["error"]); code != "" {
		codes = append(codes, code)
	}

	var list []map[string]json.RawMessage
	if json.Unmarshal(top["errors"], &list) == nil && len(list) > 0 {
		codes = append(codes, codesOf(list[0])...)
	}

	return codes
}

func codesOf(object map[string]json.RawMessage) []string {
	var codes []string

	for _, name := range [...]string{"code", "type", "name", "error_code"} {
		if code := text(object[name]); code != "" {
			codes = append(codes, code)
		}
	}

	return codes
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}

	return s
}
