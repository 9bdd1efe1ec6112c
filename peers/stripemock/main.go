// Command stripemock holds an SDK made from Stripe's public document against stripe-mock, Stripe's own mock server, which
// checks every request against that document. It prints one line for each thing it saw, and exits 1 when one is wrong.
// With -markdown the lines are also written into a section of that file.
//
// Usage: go run ./stripemock [-spec ../../shared/specs/stripe.json] [-markdown FILE]
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/peers/report"
)

const mock = "github.com/stripe/stripe-mock@v0.203.0"

//go:embed program.go.txt
var program []byte

// operations are those that the program calls; the rest of the document is left out of the SDK.
var operations = []string{
	"PostCustomers", "GetCustomers", "GetCustomersCustomer", "PostCustomersCustomer", "DeleteCustomersCustomer",
	"PostPaymentIntents", "PostInvoiceitems", "PostCheckoutSessions", "GetCharges",
}

func main() {
	spec := flag.String("spec", "../../shared/specs/stripe.json", "Stripe's document")
	markdown := flag.String("markdown", "", "also write what was seen into this file")
	flag.Parse()
	if err := run(*spec, *markdown); err != nil {
		fmt.Fprintln(os.Stderr, "stripemock:", err)
		os.Exit(1)
	}
}

func run(spec, markdown string) error {
	work, err := os.MkdirTemp("", "stripemock")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	repo, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	const sdk = "github.com/retrysafe/retrysafe/sdk"
	mod := "module example.com/peer\n\ngo 1.25.0\n\nrequire " + sdk + " v0.0.0\n\nreplace " + sdk + " => " + filepath.Join(repo, "sdk") + "\n"
	for name, content := range map[string][]byte{"go.mod": []byte(mod), "main.go": program} {
		if err := os.WriteFile(filepath.Join(work, name), content, 0o600); err != nil {
			return err
		}
	}
	if _, err := generator.Generate(context.Background(), generator.Options{Spec: spec, Out: filepath.Join(work, "stripe"), Package: "stripe", Operations: operations}); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "tidy"}, {"install", mock}, {"build", "-o", "program", "."}} {
		cmd := exec.CommandContext(context.Background(), "go", args...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOBIN="+work)
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, output)
		}
	}
	base, stop, err := start(filepath.Join(work, "stripe-mock"))
	if err != nil {
		return err
	}
	defer stop()
	cmd := exec.CommandContext(context.Background(), filepath.Join(work, "program"), base)
	var seen strings.Builder
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &seen), os.Stderr
	if err := cmd.Run(); err != nil || markdown == "" {
		return err
	}
	return report.Write(markdown, "stripemock", table(seen.String()))
}

// table is what the program printed, one row for each line.
func table(seen string) string {
	var b strings.Builder
	b.WriteString("## stripe-mock\n\n" + mock + ", Stripe's own mock server, checks each request against Stripe's document. The SDK is made from the same document.\n\n| what | seen |\n|---|---|\n")
	for line := range strings.Lines(seen) {
		what, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
		b.WriteString("| " + what + " | " + result + " |\n")
	}
	return b.String()
}

// start runs the mock on a free loopback port and waits until it takes connections.
func start(binary string) (base string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "-http-addr", address)
	if err := cmd.Start(); err != nil {
		cancel()
		return "", nil, err
	}
	stop = func() { cancel(); _ = cmd.Wait() }
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err == nil {
			return "http://" + address, stop, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return "", nil, errors.New("stripe-mock did not start")
}
