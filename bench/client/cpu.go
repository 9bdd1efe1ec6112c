package main

import (
	"fmt"
	"syscall"
	"time"
)

// processCPU is the CPU time that this process has used, the collector's and the kernel's included. On a machine that
// others use as well it is the measure that waiting does not change.
func processCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(fmt.Sprintf("getrusage: %v", err)) // cannot fail with these arguments
	}

	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
