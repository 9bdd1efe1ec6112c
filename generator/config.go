package generator

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// ConfigName is the file that is read when no other is named and it is there.
const ConfigName = "retrysafe.yaml"

// setting is one key of the config file.
type setting struct {
	name string
	set  func(*Options, *spec.Node, string) *spec.Error
}

// settings in the order of the reference documentation. Paths are relative to the config file.
var settings = []setting{
	{"spec", func(o *Options, n *spec.Node, dir string) *spec.Error { return path(&o.Spec, n, dir) }},
	{"out", func(o *Options, n *spec.Node, dir string) *spec.Error { return path(&o.Out, n, dir) }},
	{"package", func(o *Options, n *spec.Node, _ string) *spec.Error { return text(&o.Package, n) }},
	{"module", func(o *Options, n *spec.Node, _ string) *spec.Error { return text(&o.Module, n) }},
	{"overlays", overlays},
	{"tags", func(o *Options, n *spec.Node, _ string) *spec.Error { return o.selection(&o.Tags, n) }},
	{"operations", func(o *Options, n *spec.Node, _ string) *spec.Error { return o.selection(&o.Operations, n) }},
	{"names", names},
	{"per-operation", perOperation},
	{"env-prefix", func(o *Options, n *spec.Node, _ string) *spec.Error { return text(&o.EnvPrefix, n) }},
	{"key-every-write", func(o *Options, n *spec.Node, _ string) *spec.Error { return flag(&o.KeyEveryWrite, n) }},
	{"key-header", func(o *Options, n *spec.Node, _ string) *spec.Error { return text(&o.KeyHeader, n) }},
	{"strict", func(o *Options, n *spec.Node, _ string) *spec.Error { return flag(&o.Strict, n) }},
	{"allow-remote-refs", func(o *Options, n *spec.Node, _ string) *spec.Error { return flag(&o.AllowRemoteRefs, n) }},
	{"cache-dir", func(o *Options, n *spec.Node, dir string) *spec.Error { return path(&o.CacheDir, n, dir) }},
}

// ReadConfig reads a config file into options. A key that it does not know, or a value of another kind, is an
// [*spec.Error] with its place; all of them are told at once.
func ReadConfig(file string) (Options, error) {
	var opts Options
	data, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return opts, fmt.Errorf("reading the config: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return opts, nil
	}
	root, diags, err := spec.Parse(file, data)
	if err != nil {
		return opts, err
	}
	if root.Kind == spec.Null {
		return opts, nil
	}
	if root.Kind != spec.Object {
		return opts, spec.Errorf(root.Pos(), "config", "the config has to be a mapping of settings")
	}
	for i := range diags {
		diags[i].Code = "config"
	}
	for _, m := range root.All() {
		i := slices.IndexFunc(settings, func(s setting) bool { return s.name == m.Key })
		if i < 0 {
			diags = append(diags, unknownKey(root, m.Key).Diagnostics...)
			continue
		}
		if err := settings[i].set(&opts, m.Value, filepath.Dir(file)); err != nil {
			diags = append(diags, err.Diagnostics...)
		}
	}
	if len(diags) > 0 {
		return opts, &spec.Error{Diagnostics: diags}
	}
	return opts, nil
}

func unknownKey(root *spec.Node, key string) *spec.Error {
	known := make([]string, len(settings))
	for i, s := range settings {
		known[i] = s.name
	}
	return spec.Errorf(root.KeyPos(key), "config", "there is no setting %q; the settings are %s", key, strings.Join(known, ", "))
}

func text(to *string, n *spec.Node) *spec.Error {
	if n.Kind == spec.Object || n.Kind == spec.Array || n.Kind == spec.Null {
		return spec.Errorf(n.Pos(), "config", "this setting is a text, not %s", n.Kind)
	}
	*to = n.Value
	return nil
}

func path(to *string, n *spec.Node, dir string) *spec.Error {
	if err := text(to, n); err != nil {
		return err
	}
	*to = relativeTo(dir, *to)
	return nil
}

func relativeTo(dir, path string) string {
	if path == "-" || path == "" || filepath.IsAbs(path) || strings.Contains(path, "://") {
		return path
	}
	return filepath.Join(dir, path)
}

func list(to *[]string, n *spec.Node) *spec.Error {
	if n.Kind != spec.Array {
		return spec.Errorf(n.Pos(), "config", "this setting is a list, not %s", n.Kind)
	}
	for _, item := range n.Items {
		var one string
		if err := text(&one, item); err != nil {
			return err
		}
		*to = append(*to, one)
	}
	return nil
}

func overlays(o *Options, n *spec.Node, dir string) *spec.Error {
	if err := list(&o.Overlays, n); err != nil {
		return err
	}
	for i, p := range o.Overlays {
		o.Overlays[i] = relativeTo(dir, p)
	}
	return nil
}

func flag(to *bool, n *spec.Node) *spec.Error {
	if n.Kind != spec.Bool {
		return spec.Errorf(n.Pos(), "config", "this setting is true or false, not %s", n.Kind)
	}
	*to = n.IsTrue()
	return nil
}

func names(o *Options, n *spec.Node, _ string) *spec.Error {
	if n.Kind != spec.Object {
		return spec.Errorf(n.Pos(), "config", "names maps JSON pointers of the document to Go names")
	}
	o.Names = map[string]string{}
	for _, m := range n.All() {
		pointer := strings.TrimPrefix(m.Key, "#")
		var name string
		if err := text(&name, m.Value); err != nil {
			return err
		}
		if !strings.HasPrefix(pointer, "/") {
			return spec.Errorf(n.KeyPos(m.Key), "config", "%q is not a JSON pointer; --print-names shows those of the document", m.Key)
		}
		if !isExportedName(name) {
			return spec.Errorf(m.Value.Pos(), "config", "%q is not an exported Go name", name)
		}
		o.Names[pointer] = name
		o.place(pointer, n.KeyPos(m.Key))
	}
	return nil
}

// selection reads a list of tags or operations and notes where each stands.
func (o *Options) selection(to *[]string, n *spec.Node) *spec.Error {
	if err := list(to, n); err != nil {
		return err
	}
	for _, item := range n.Items {
		o.place(item.Value, item.Pos())
	}
	return nil
}

func perOperation(o *Options, n *spec.Node, _ string) *spec.Error {
	if n.Kind != spec.Object {
		return spec.Errorf(n.Pos(), "config", "per-operation maps operation ids to what is said of them")
	}
	o.PerOperation = n
	return nil
}

func (o *Options) place(name string, pos spec.Position) {
	if o.places == nil {
		o.places = map[string]spec.Position{}
	}
	o.places[name] = pos
}

// placed puts the place in the config file before an error about a name that stands there.
func (o *Options) placed(err error) error {
	var selection *plan.UnknownSelectionError
	var names *plan.UnknownNameError
	var diags []spec.Diagnostic
	switch {
	case errors.As(err, &selection):
		if pos, ok := o.places[selection.Name]; ok {
			diags = append(diags, spec.Diagnostic{Pos: pos, Code: "config", Message: err.Error()})
		}
	case errors.As(err, &names):
		for _, pointer := range names.Pointers {
			one := &plan.UnknownNameError{Pointers: []string{pointer}}
			diags = append(diags, spec.Diagnostic{Pos: o.places[pointer], Code: "config", Message: one.Error()})
		}
	}
	if len(diags) == 0 {
		return err
	}
	return &spec.Error{Diagnostics: diags}
}
