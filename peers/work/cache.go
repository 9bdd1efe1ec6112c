package work

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sourceHash is one hash of all that an outcome depends on besides the document: generator, templates, runtime, the
// programs here and the version of Prism.
func sourceHash(repo, command string) (string, error) {
	hash := sha256.New()
	for _, dir := range []string{"generator", "templates", "sdk", "peers/package.json", "peers/meaning", "peers/sample", "peers/smoke", "peers/work", "peers/" + command} {
		err := filepath.WalkDir(filepath.Join(repo, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return filepath.SkipDir
			}
			printed := slices.Contains([]string{"known.go", "table.go", "documents.go"}, entry.Name()) // what they say changes no outcome
			if entry.IsDir() || printed || !slices.Contains([]string{".go", ".tmpl", ".json"}, filepath.Ext(path)) {
				return nil
			}
			if matched, _ := filepath.Match("*_test.go", entry.Name()); matched {
				return nil
			}
			if filepath.Dir(path) == filepath.Join(repo, "sdk") { // the reference SDK
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

// Kept is the outcome of an earlier run under name; it is nil when the document or anything of ours has changed since.
func (b *Bench) Kept(name, document string) (json.RawMessage, error) {
	key, err := b.key(document)
	if err != nil || b.Fresh {
		return nil, err
	}
	data, err := os.ReadFile(b.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err != nil || json.Unmarshal(data, &k) != nil || k.Key != key {
		return nil, err
	}
	return k.Value, nil
}

// Keep writes the outcome of a run down for the next one.
func (b *Bench) Keep(name, document string, value any) error {
	key, err := b.key(document)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	data, err := json.Marshal(kept{key, text})
	if err != nil {
		return err
	}
	return os.WriteFile(b.file(name), data, 0o600)
}

type kept struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

func (b *Bench) file(name string) string { return filepath.Join(b.Dir, name+".kept.json") }

func (b *Bench) key(document string) (string, error) {
	data, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(b.source), data...))
	return hex.EncodeToString(sum[:12]), nil
}
