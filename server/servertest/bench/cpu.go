package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime is the processor time of this process, of all its threads, the collector's among them.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// databaseTime is the processor time of a database server's process and of its children, from Linux's /proc. Elsewhere
// it is zero. A child that has ended is left out, so that both readings must see the same connections.
func databaseTime(postmaster int) time.Duration {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	parent := strconv.Itoa(postmaster)
	total := ranFor(fmt.Sprintf("/proc/%d/stat", postmaster))
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended since
		}
		// proc(5): the name in parentheses, the state, the parent.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 && fields[1] == parent {
			total += ranFor(name)
		}
	}
	return total
}

// ranFor reads the nanoseconds on a processor, the first number of schedstat.
func ranFor(stat string) time.Duration {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(stat), "schedstat"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	nanos, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(nanos)
}
