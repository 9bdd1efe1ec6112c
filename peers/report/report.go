// Package report keeps the sections of docs/peers.md, one for each command.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const head = `# Generated SDKs and programs that others wrote

Written by ` + "`make peers`" + `, one section by each of its commands; do not edit. The documents are public ones of many vendors, as they were published.
`

// Write puts text into file as the section of that name, in place of the one that is there; others stay.
func Write(file, name, text string) error {
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte(head)
	case err != nil:
		return err
	}
	return os.WriteFile(file, []byte(replace(string(old), name, text)), 0o600)
}

func replace(old, name, text string) string {
	begin, end := fmt.Sprintf("<!-- begin %s -->", name), fmt.Sprintf("<!-- end %s -->", name)
	section := begin + "\n" + strings.TrimSpace(text) + "\n" + end
	before, rest, found := strings.Cut(old, begin)
	if _, after, closed := strings.Cut(rest, end); found && closed {
		return before + section + after
	}
	return strings.TrimRight(old, "\n") + "\n\n" + section + "\n"
}
