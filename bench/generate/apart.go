package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// apart is the first argument of this program when it runs another one in its place: Linux counts what a process held
// when it forked to the peak of its child, and this program holds the syntax trees of what it measured before.
const apart = "run-apart"

// cost runs a program out of a small process and returns its wall time and its peak memory.
func cost(dir string, args []string) (wall time.Duration, peakKiB int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	report := filepath.Join(dir, "cost")
	if _, err := command(dir, nil, self, append([]string{apart, report}, args...)...); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", filepath.Base(args[0]), err)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(text), &wall, &peakKiB)
	return wall, peakKiB, err
}

// runApart runs a program, writes nanoseconds and KiB into the report, and returns the program's exit code.
func runApart(report, name string, args ...string) int {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	}
	if err == nil {
		var peak int64
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = usage.Maxrss
		}
		err = os.WriteFile(report, fmt.Appendf(nil, "%d %d", wall, peak), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
