package report

import "testing"

func TestReplace(t *testing.T) {
	t.Parallel()
	one := replace("# Title\n", "a", "first")
	two := replace(one, "b", "second\n")
	three := replace(two, "a", "again")
	for _, c := range []struct{ got, want string }{
		{one, "# Title\n\n<!-- begin a -->\nfirst\n<!-- end a -->\n"},
		{two, "# Title\n\n<!-- begin a -->\nfirst\n<!-- end a -->\n\n<!-- begin b -->\nsecond\n<!-- end b -->\n"},
		{three, "# Title\n\n<!-- begin a -->\nagain\n<!-- end a -->\n\n<!-- begin b -->\nsecond\n<!-- end b -->\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
