package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"time"
)

// startPrism serves a document on a free loopback port and waits until it answers.
func startPrism(doc string) (stop func(), base string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, "", err
	}
	if err := listener.Close(); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node_modules/.bin/prism", "mock", "-h", "127.0.0.1", "-p", port, doc)
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, "", err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, "", fmt.Errorf("prism is not there; run npm install --no-package-lock in peers/: %w", err)
	}
	stop = func() { cancel(); _ = cmd.Wait() }
	ready := make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		last := ""
		for scanner.Scan() {
			last = scanner.Text()
			if strings.Contains(last, "Prism is listening") {
				ready <- nil
				_, _ = io.Copy(io.Discard, out)
				return
			}
		}
		ready <- fmt.Errorf("prism does not take the document: %s", shorten(last, 160))
	}()
	select {
	case err = <-ready:
	case <-time.After(3 * time.Minute):
		err = errors.New("prism did not start within 3 minutes")
	}
	if err != nil {
		stop()
		return nil, "", err
	}
	return stop, "http://127.0.0.1:" + port, nil
}
