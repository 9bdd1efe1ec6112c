package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
)

// partMessages is how often a message is sent in a pass.
const partMessages = 200

// part is a message to the database. {id}, {lock}, {text} and {bytes} are drawn anew for each.
type part struct{ name, text string }

// parts are the messages of a claim and of an answer alone, so that it shows where the time of the section claim goes.
// What is prepared is there to show what preparing would save.
func parts(ctx context.Context, s *settings) (string, error) {
	const (
		insert = `INSERT INTO charges (id, amount) VALUES ('{id}', 1000); `
		asked  = `('{id}', {lock}, {lock}, NULL, '30000')`
		kept   = `(NULL, '{id}', E'\\x616363745f31', E'\\x504f5354202f63686172676573', E'\\x{text}', E'\\x{bytes}{bytes}', E'\\x{bytes}', ` +
			`86400000000, 201, E'\\x{header}', E'\\x{body}', NULL); `
		prepare = `PREPARE ask AS SELECT generate_series(1, retrysafe_claim($1, $2, $3, $4, $5));
PREPARE keep AS SELECT retrysafe_keep($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	)
	all := []part{
		{"BEGIN, ROLLBACK", ""},
		{"+ INSERT", insert},
		{"+ claim", "SELECT generate_series(1, retrysafe_claim" + asked + "); "},
		{"+ claim, prepared", "EXECUTE ask" + asked + "; "},
		{"+ INSERT + answer", insert + "SELECT retrysafe_keep" + kept},
		{"+ INSERT + answer, prepared", insert + "EXECUTE keep" + kept},
		{"+ claim + INSERT + answer", "SELECT generate_series(1, retrysafe_claim" + asked + "); " + insert + "SELECT retrysafe_keep" + kept},
	}
	db, _, err := s.database(ctx, 1)
	if err != nil {
		return "", err
	}
	if _, err := db.ExecContext(ctx, prepare); err != nil {
		return "", err
	}
	server, err := s.cluster.PID()
	if err != nil {
		return "", err
	}
	costs := make([][]float64, len(all))
	for pass := range s.passes + 1 { // of which the first warms up
		for _, i := range mathrand.Perm(len(all)) {
			cost, err := all[i].send(ctx, db, server)
			if err != nil {
				return "", fmt.Errorf("%s: %w", all[i].name, err)
			}
			if pass > 0 {
				costs[i] = append(costs[i], cost)
			}
		}
	}
	rows := make([][]string, len(all))
	for i, p := range all {
		rows[i] = []string{p.name, fmt.Sprintf("%.0f us", quarter(costs[i])), fmt.Sprintf("%+.0f us", quarter(costs[i])-quarter(costs[0]))}
	}
	return "One session, one message after the other, each rolled back: CPU time of the database for a message, the quietest quarter of " +
		fmt.Sprintf("%d passes of %d.\n\n", s.passes, partMessages) + table([]string{"in one message", "CPU", "over the first"}, rows), db.Close()
}

// send sends the message many times and returns the database's time for one, in microseconds.
func (p part) send(ctx context.Context, db *sql.DB, server int) (float64, error) {
	texts := make([]string, partMessages)
	for i := range texts {
		sum := sha256.Sum256([]byte(rand.Text()))
		lock := strconv.FormatInt(mathrand.Int64(), 10)
		texts[i] = strings.NewReplacer("{id}", hex.EncodeToString(sum[:16]), "{lock}", lock,
			"{text}", hex.EncodeToString([]byte(rand.Text())), "{bytes}", hex.EncodeToString(sum[16:]),
			"{header}", hex.EncodeToString([]byte("Content-Type: application/json\nLocation: /charges/ch_0123456789\n")), "{body}", hex.EncodeToString(answer.Body)).Replace(p.text)
	}
	began := databaseTime(server)
	for _, text := range texts {
		if _, err := db.ExecContext(ctx, "BEGIN; "+text+"ROLLBACK"); err != nil {
			return 0, err
		}
	}
	return float64((databaseTime(server) - began).Nanoseconds()) / 1e3 / partMessages, nil
}
