package spec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/theory/jsonpath"
	jsonspec "github.com/theory/jsonpath/spec"
)

// overlay applies one file of the OpenAPI Overlay Specification 1.0 to a document.
func (l *loader) overlay(file *File, path string) error {
	over, err := l.local(path, path, Position{File: path})
	if err != nil {
		return err
	}
	if v := over.Root.Str("overlay"); v == "" {
		return Errorf(over.Root.Pos(), "not-overlay", "this is not an overlay: the member overlay, such as overlay: 1.0.0, is missing")
	}
	actions := over.Root.Get("actions")
	if !actions.IsArray() {
		return Errorf(over.Root.Pos(), "not-overlay", "this overlay has no list of actions")
	}
	for _, action := range actions.Items {
		if err := l.act(file, action); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) act(file *File, action *Node) error {
	at := action.Get("target")
	if at == nil || at.Kind != String {
		return Errorf(action.Pos(), "overlay-target", "this action has no target")
	}
	query, err := jsonpath.Parse(at.Value)
	if err != nil {
		return Errorf(at.Pos(), "overlay-target", "the target %q is not a JSONPath of RFC 9535: %v", at.Value, err)
	}
	found := query.SelectLocated(plain(file.Root))
	if len(found) == 0 {
		l.warnf(at.Pos(), "overlay-target", "the target %q matches nothing; the action is skipped", at.Value)
		return nil
	}
	if action.Flag("remove") {
		found.Sort()
		for _, f := range slices.Backward(found) {
			remove(file.Root, f.Path)
		}
		return nil
	}
	update := action.Get("update")
	if update == nil {
		return Errorf(action.Pos(), "overlay-action", "this action neither updates nor removes")
	}
	for _, f := range found {
		n := locate(file.Root, f.Path)
		switch {
		case n.IsArray():
			n.Items = append(n.Items, update)
		case n.IsObject() && update.IsObject():
			mergeInto(n, update)
		default:
			return Errorf(at.Pos(), "overlay-action", "the target %q is neither an object nor an array, and only those can be updated", at.Value)
		}
	}
	return nil
}

// mergeInto merges as the overlay specification says: objects by member, arrays by appending, everything else replaces.
func mergeInto(n, update *Node) {
	for _, m := range update.Members {
		old := n.Get(m.Key)
		switch {
		case old.IsObject() && m.Value.IsObject():
			mergeInto(old, m.Value)
		case old.IsArray() && m.Value.IsArray():
			old.Items = append(old.Items, m.Value.Items...)
		default:
			n.Set(m.Key, m.Value)
		}
	}
}

func locate(root *Node, path jsonspec.NormalizedPath) *Node {
	n := root
	for _, selector := range path {
		n = step(n, selectorText(selector))
	}
	return n
}

func remove(root *Node, path jsonspec.NormalizedPath) {
	if len(path) == 0 {
		return
	}
	parent := locate(root, path[:len(path)-1])
	last := selectorText(path[len(path)-1])
	if !parent.IsArray() {
		parent.Delete(last)
		return
	}
	for i, item := range parent.Items {
		if step(parent, last) == item {
			parent.Items = append(append([]*Node(nil), parent.Items[:i]...), parent.Items[i+1:]...)
			return
		}
	}
}

func selectorText(selector jsonspec.NormalSelector) string {
	switch s := selector.(type) {
	case jsonspec.Name:
		return string(s)
	case jsonspec.Index:
		return strconv.Itoa(int(s))
	default:
		return fmt.Sprint(s)
	}
}

// plain gives the tree as the values that encoding/json would give, which is what the JSONPath library looks at.
func plain(n *Node) any {
	switch n.Kind {
	case Object:
		m := make(map[string]any, len(n.Members))
		for _, member := range n.Members {
			m[member.Key] = plain(member.Value)
		}
		return m
	case Array:
		a := make([]any, len(n.Items))
		for i, item := range n.Items {
			a[i] = plain(item)
		}
		return a
	case Bool:
		return n.Value == "true"
	case Number:
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return f
		}
		return n.Value
	case String:
		return n.Value
	case Null:
	}
	return nil
}
