// Package templates holds the text templates of the generator, one purpose a file. They print and decide nothing:
// package generator/models and package generator/render hand them finished pieces.
package templates

import (
	"embed"
	"io/fs"
)

//go:embed models/*.tmpl sdk/*.tmpl
var files embed.FS

// Models are the templates of the types, which oapi-codegen executes.
func Models() fs.FS { return sub("models") }

// SDK are the templates of everything else.
func SDK() fs.FS { return sub("sdk") }

func sub(dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil { // the name is a constant
		panic(err)
	}
	return f
}
