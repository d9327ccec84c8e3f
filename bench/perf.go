package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// An instructionCounter is the program perf where it can count instructions;
// "" where it can't. Unlike times, their number hardly depends on what else the
// machine does.
type instructionCounter string

// findInstructionCounter tries perf on a program that does nothing: many
// virtual machines have the program and not the counters.
func findInstructionCounter() instructionCounter {
	perf, err := exec.LookPath("perf")
	if err != nil {
		return ""
	}
	c := exec.Command("go", "version")
	count := instructionCounter(perf).wrap(c, true)
	if c.Run() != nil {
		return ""
	}
	if _, ok := count(); !ok {
		return ""
	}
	return instructionCounter(perf)
}

// wrap has c run under perf. The function that it returns reads the number of
// instructions in user mode once c has ended.
func (p instructionCounter) wrap(c *exec.Cmd, wanted bool) (count func() (float64, bool)) {
	none := func() (float64, bool) { return 0, false }
	if p == "" || !wanted {
		return none
	}
	dir, err := os.MkdirTemp("", "harena-perf")
	if err != nil {
		return none
	}
	file := filepath.Join(dir, "count")
	c.Args = append([]string{string(p), "stat", "-x", ",", "-e", "instructions:u", "-o", file, "--", c.Path},
		c.Args[1:]...)
	c.Path = string(p)
	return func() (float64, bool) {
		defer os.RemoveAll(dir)
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, false
		}
		return parseCount(string(text))
	}
}

// parseCount finds the number in what perf stat -x, writes: fields with commas,
// the count first, on a line that isn't a comment.
func parseCount(text string) (float64, bool) {
	for line := range strings.Lines(text) {
		count, rest, ok := strings.Cut(line, ",")
		if !ok || strings.HasPrefix(line, "#") || !strings.Contains(rest, "instructions") {
			continue
		}
		n, err := strconv.ParseFloat(count, 64)
		return n, err == nil
	}
	return 0, false
}
