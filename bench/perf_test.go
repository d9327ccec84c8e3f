package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestCountOfPerfStat(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"# started on Mon\n\n123456789,,instructions:u,3021345,100.00,,\n", 123456789, true},
		{"<not supported>,,instructions:u,0,100.00,,\n", 0, false},
		{"12,,cycles:u,0,100.00,,\n", 0, false},
		{"", 0, false},
	} {
		if got, ok := parseCount(c.text); got != c.want || ok != c.ok {
			t.Errorf("%q: %v, %v", c.text, got, ok)
		}
	}
}

// TestInstructionCounter has a script in the place of perf, since few machines
// that tests run on have counters.
func TestInstructionCounter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is one for a Unix shell")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do [ \"$1\" = -o ] && out=$2; shift; done\nshift\n\"$@\" || exit\necho 4711,,instructions:u,1,100.00,, >\"$out\"\n"
	if err := os.WriteFile(filepath.Join(dir, "perf"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	p := findInstructionCounter()
	if p == "" {
		t.Fatal("perf wasn't found to work")
	}
	run := func(wanted bool) (string, float64, bool) {
		c := exec.Command("go", "env", "GOOS")
		count := p.wrap(c, wanted)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		n, ok := count()
		return string(out), n, ok
	}
	if out, n, ok := run(true); out != runtime.GOOS+"\n" || n != 4711 || !ok {
		t.Errorf("counted: output %q, %v instructions, %v", out, n, ok)
	}
	if out, n, ok := run(false); out != runtime.GOOS+"\n" || ok {
		t.Errorf("not counted: output %q, %v instructions, %v", out, n, ok)
	}
}
