//go:build go1.27

package compiled_test

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMethodsAreTheSameCode compares the machine code of the methods' callers with
// that of the functions' callers.
func TestMethodsAreTheSameCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	_, file := fastpath(t)
	for _, name := range []string{"NewInt", "NewOwn", "NewNode", "NewOfOwn", "NewOfNode", "AppendOne", "AppendNode", "AppendNodes", "ForNew", "Copy"} {
		function, method := instructions(t, file, name), instructions(t, file, "Method"+name)
		if function != method || function == "" {
			t.Errorf("%s: the function's code is\n%s, the method's\n%s", name, function, method)
		}
	}
}

var (
	instruction = regexp.MustCompile(`(?m)^.*\t0x([0-9a-f]+)\t+[0-9a-f]+\t+(.*?)\s*$`)
	jump        = regexp.MustCompile(`^(J\w+) 0x([0-9a-f]+)$`)
	relative    = regexp.MustCompile(`0x[0-9a-f]+\(IP\)`)
)

// instructions returns a function's code: with numbers of instructions for addresses,
// without those of data, and without the NOPs that stand for inlined calls.
func instructions(t *testing.T, file, name string) string {
	var at, texts []string
	for _, m := range instruction.FindAllStringSubmatch(goTool(t, "tool", "objdump", "-s", `^main\.`+name+`$`, file), -1) {
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
