package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sourceHash is one hash of all that an outcome depends on besides the document: generator, templates, runtime, the
// programs here and the version of Prism.
func sourceHash() (string, error) {
	hash := sha256.New()
	for _, dir := range []string{"../generator", "../templates", "../sdk", "sample", "smoke", "prism", "package.json"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			printed := slices.Contains([]string{"known.go", "table.go"}, entry.Name()) // what they say changes no outcome
			if entry.IsDir() || printed || !slices.Contains([]string{".go", ".tmpl", ".json"}, filepath.Ext(path)) {
				return nil
			}
			if matched, _ := filepath.Match("*_test.go", entry.Name()); matched {
				return nil
			}
			data, err := os.ReadFile(path)
			hash.Write([]byte(path))
			hash.Write(data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func (b *bench) key(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(b.source), data...))
	return hex.EncodeToString(sum[:12]), nil
}

type kept struct {
	Key string `json:"key"`
	Row row    `json:"row"`
}

func (b *bench) file(name string) string { return filepath.Join(b.cache, name+".json") }

// load gives what an earlier run gave for the same document and the same sources.
func (b *bench) load(name, key string) *row {
	if b.fresh {
		return nil
	}
	data, err := os.ReadFile(b.file(name))
	if err != nil {
		return nil
	}
	var k kept
	if json.Unmarshal(data, &k) != nil || k.Key != key {
		return nil
	}
	return &k.Row
}

func (b *bench) save(key string, r row) error {
	if err := os.MkdirAll(b.cache, 0o750); err != nil {
		return err
	}
	data, err := json.Marshal(kept{key, r})
	if err != nil {
		return err
	}
	return os.WriteFile(b.file(r.Name), data, 0o600)
}
