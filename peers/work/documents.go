package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Document is one file of the folder of real documents.
type Document struct{ Name, Path string }

// Chosen are the documents that the commands take when none is named: of many vendors and shapes, and small enough that
// all of them take minutes.
var Chosen = []string{
	"adyen-checkout", "adyen-legalentity", "adyen-payout", "adyen-transfers", "apideck-filestorage", "apideck-proxy", "apideck-vault",
	"codat-files", "codat-lending", "codat-platform", "codat-sync-payables", "datadog-v1", "elevenlabs", "formance-ledger",
	"intercom", "k8s-apps", "k8s-authn", "lakefs", "lakefs-authz", "lob", "mattermost", "modern-treasury", "mollie", "nomad", "okta-oag",
	"okta-oauth", "ory", "paypal-disputes", "paypal-orders", "paypal-payments", "paypal-payouts", "paypal-subscriptions", "qdrant",
	"resend", "shipengine", "twilio-api", "twilio-conversations", "twilio-iam-orgs", "twilio-lookups",
}

// Documents finds documents in dir: those named, with commas between them, or the chosen ones, or all.
func Documents(dir, names string, all bool) ([]Document, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the real documents are not here: %w", err)
	}
	wanted := Chosen
	if names != "" {
		wanted, all = strings.Split(names, ","), false
	}
	var out []Document
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if filepath.Ext(e.Name()) != ".tsv" && (all || slices.Contains(wanted, name)) {
			out = append(out, Document{name, filepath.Join(dir, e.Name())})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no document has that name")
	}
	return out, nil
}
