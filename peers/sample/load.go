package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// Load reads a document of one file, YAML or JSON. Numbers keep all their digits.
func Load(path string) (*Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var root any
	if filepath.Ext(path) == ".json" {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		err = decoder.Decode(&root)
	} else {
		var node yaml.Node
		if err = yaml.Unmarshal(data, &node); err == nil {
			root, err = exact(&node)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil, errors.New(path + " is no mapping")
	}
	return &Document{root: object}, nil
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// exact is what a YAML node says in the terms of JSON.
func exact(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return exact(n.Content[0])
	case yaml.AliasNode:
		return exact(n.Alias)
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := exact(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			merged, ok := v.(map[string]any)
			if n.Content[i].Tag != "!!merge" || !ok {
				out[n.Content[i].Value] = v
				continue
			}
			for key, v := range merged {
				if _, own := out[key]; !own {
					out[key] = v
				}
			}
		}
		return out, nil
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := exact(item)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	default:
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.Number(n.Value), nil
		}
		var f float64
		if err := n.Decode(&f); err != nil || f != f || f-f != 0 {
			return n.Value, nil //nolint:nilerr // what is no number in JSON is text
		}
		return json.Number(fmt.Sprint(f)), nil
	case "!!bool":
		var v bool
		err := n.Decode(&v)
		return v, err
	case "!!null":
		return nil, nil //nolint:nilnil // null
	}
	return n.Value, nil
}
