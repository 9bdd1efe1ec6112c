package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// entry is one line of the journal: what is meant, under which key, and whether it is done.
type entry struct {
	Intent string `json:"intent"`
	Key    string `json:"key"`
	Amount int64  `json:"amount"`
	Order  string `json:"order"`
	Done   bool   `json:"done,omitempty"`
}

// journal is a file of lines that is only ever added to. It is not safe for concurrent use.
type journal struct {
	file    *os.File
	entries map[string]entry // by intent, the newest line of each
	order   []string         // intents as they came
}

// openJournal reads what an earlier run has left. A last line that broke off in a crash was never acted on: the line is
// on the disk before the call is made.
func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, entries: map[string]entry{}}
	var good int64
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, errors.Join(fmt.Errorf("journal: %w", err), file.Close())
		}
		good += int64(len(line))
		j.remember(e)
	}
	if err := file.Truncate(good); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := file.Seek(good, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *journal) remember(e entry) {
	if _, known := j.entries[e.Intent]; !known {
		j.order = append(j.order, e.Intent)
	}
	j.entries[e.Intent] = e
}

// write adds a line and waits until it is on the disk.
func (j *journal) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	j.remember(e)
	return j.file.Sync()
}

// pending are the entries that are not done, in the order in which they were meant.
func (j *journal) pending() []entry {
	var left []entry
	for _, intent := range j.order {
		if e := j.entries[intent]; !e.Done {
			left = append(left, e)
		}
	}
	return left
}
