package wire

import (
	"fmt"
	"io"
	"log/slog"
)

// mask stands for a value that must not be shown.
const mask = "***"

// Secret is text that is sent as it is and never printed: every verb of package fmt and log/slog show three asterisks.
// Convert it to a string to read it.
type Secret string

// Format prints the mask whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// String gives the mask.
func (s Secret) String() string { return mask }

// LogValue gives the mask to log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(mask) }
