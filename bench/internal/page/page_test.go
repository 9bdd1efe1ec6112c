package page

import (
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	const before = "# Title\n<!-- a -->\nold\n<!-- /a -->\n<!-- b -->\nkept\n<!-- /b -->\nend\n"

	got, err := fill(before, "a", Table([]string{"x", "y"}, [][]string{{"one", "1"}}))
	if err != nil {
		t.Fatal(err)
	}

	const want = "# Title\n<!-- a -->\n\n| x | y |\n| --- | ---: |\n| one | 1 |\n\n<!-- /a -->\n<!-- b -->\nkept\n<!-- /b -->\nend\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	again, err := fill(got, "a", Table([]string{"x", "y"}, [][]string{{"one", "1"}}))
	if err != nil || again != got {
		t.Errorf("filling twice changes the page: %v\n%s", err, again)
	}
}

func TestFillNeedsItsMarkers(t *testing.T) {
	for _, page := range []string{"", "<!-- a -->\n", "<!-- /a -->\n<!-- a -->\n"} {
		if _, err := fill(page, "a", "x"); err == nil || !strings.Contains(err.Error(), "<!-- ") {
			t.Errorf("%q: %v, want the missing line named", page, err)
		}
	}
}
