package plan

import (
	"net/http"
	"strconv"
	"strings"
)

// statusName names the type of an inline error answer: NotFound, ServerErrors for 5XX, "" for default.
func statusName(status string) string {
	switch strings.ToUpper(status) {
	case "DEFAULT":
		return ""
	case "4XX":
		return "Client"
	case "5XX":
		return "Server"
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		return exported(status, "Other")
	}
	if text := http.StatusText(code); text != "" {
		return strings.TrimSuffix(strings.ReplaceAll(pascal(strings.ReplaceAll(text, "'", "")), "Error", ""), "Error")
	}
	return "Status" + status
}

// statusKey writes a status as the plan has it: 404, 4XX, default.
func statusKey(status string) (string, bool) {
	s := strings.ToUpper(strings.TrimSpace(status))
	if s == "DEFAULT" {
		return "default", true
	}
	if len(s) != 3 || s[0] < '1' || s[0] > '5' {
		return "", false
	}
	if s[1:] == "XX" {
		return s, true
	}
	_, err := strconv.Atoi(s)
	return s, err == nil
}
