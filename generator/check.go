package generator

import (
	"fmt"
	"go/token"
	"unicode"
	"unicode/utf8"
)

func isExportedName(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return token.IsIdentifier(name) && unicode.IsUpper(r)
}

// UsageError is a run that was asked for in a way that cannot be meant.
type UsageError struct{ Message string }

// Error says what is missing or wrong.
func (e *UsageError) Error() string { return e.Message }

// Validate tells what is missing or wrong in the options themselves, before anything is read.
func (o *Options) Validate() error {
	switch {
	case o.Spec == "":
		return &UsageError{"no document is named: give --spec FILE, --spec - for standard input, or spec in " + ConfigName}
	case o.Out == "":
		return &UsageError{"no folder is named: give --out DIR, or out in " + ConfigName}
	case o.Package == "":
		return &UsageError{"no package is named: give --package NAME, or package in " + ConfigName}
	case !token.IsIdentifier(o.Package) || o.Package == "_" || o.Package == "main":
		return &UsageError{fmt.Sprintf("%q cannot be the name of a package; take a word in small letters, such as shop", o.Package)}
	}
	return nil
}
