package compiled_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file tests that who watches a program costs the fast paths no instruction: an observed
// arena has closed windows, and asks on its slow path.

var update = flag.Bool("update", false, "write the listings of testdata/code anew")

// fastFunctions are those of testdata/fastpath into which New, NewOf, Append and Typed.New are inlined.
var fastFunctions = []string{"NewInt", "NewOwn", "NewNode", "NewOfOwn", "NewOfNode", "TypedInt", "TypedNode", "ForNew",
	"AppendOne", "AppendNode", "AppendNodes"}

// TestObserversChangeNoCode compiles the same functions into a program without observers, and into one that
// imports all there are and has arenas observed.
func TestObserversChangeNoCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	without, with := fastpath(t), fastpath(t, "observed")
	if out, err := exec.Command(with.file).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "observed ") {
		t.Fatalf("the program with observers: %v\n%s", err, out)
	}
	for _, name := range fastFunctions {
		a, b := without.instructions(name), with.instructions(name)
		if a != b || a == "" {
			t.Errorf("%s: the code is\n%s\nand with observers\n%s", name, a, b)
		}
	}
}

var (
	displaced = regexp.MustCompile(`-?0(?:x[0-9a-f]+)?(\((?:AX|BX|CX|DX|SI|DI|R\d+)\))`)
	minor     = regexp.MustCompile(`^go1\.\d+`)
)

// TestFastPathsAreAsListed compares each instruction with those of testdata/code, where they are by toolchain. The
// offsets of fields don't matter, nor the addresses of data. An instruction more in an inlined function costs each
// place that allocates; an intended one is written down, with each toolchain that has a listing, by
//
//	GOTOOLCHAIN=go1.27.4 go test ./internal/tests/compiled -run TestFastPathsAreAsListed -update
func TestFastPathsAreAsListed(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	fast := fastpath(t)
	var b strings.Builder
	for _, name := range fastFunctions {
		fmt.Fprintf(&b, "%s\n", name)
		for i, line := range strings.Split(displaced.ReplaceAllString(fast.instructions(name), "d$1"), "\n") {
			fmt.Fprintf(&b, "%5d %s\n", i, line)
		}
	}
	listing := filepath.Join("testdata", "code", minor.FindString(release(runtime.Version()))+"-"+runtime.GOARCH+".txt")
	if *update {
		if err := os.WriteFile(listing, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(listing)
	if os.IsNotExist(err) {
		t.Skip("no listing for this toolchain: ", listing)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the code isn't that of %s:\n%s", listing, got)
	}
}

var (
	instruction = regexp.MustCompile(`(?m)^.*\t0x([0-9a-f]+)\t+[0-9a-f]+\t+(.*?)\s*$`)
	jump        = regexp.MustCompile(`^(J\w+) 0x([0-9a-f]+)$`)
	relative    = regexp.MustCompile(`0x[0-9a-f]+\(IP\)`)
)

// instructions returns a function's code: with numbers of instructions for addresses,
// without those of data, and without the NOPs that stand for inlined calls.
func (b *build) instructions(name string) string {
	var at, texts []string
	for _, m := range instruction.FindAllStringSubmatch(b.code[name], -1) {
		if !strings.HasPrefix(m[2], "NOP") {
			at, texts = append(at, m[1]), append(texts, relative.ReplaceAllString(m[2], "(IP)"))
		}
	}
	for i, text := range texts {
		if j := jump.FindStringSubmatch(text); j != nil { // maybe to a NOP
			to, _ := slices.BinarySearch(at, j[2])
			texts[i] = j[1] + " " + strconv.Itoa(to)
		}
	}
	return strings.ReplaceAll(strings.Join(texts, "\n"), "main.Method", "main.")
}
