package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	script "github.com/harena-go/arena/examples/script/ported"
)

// TestMain runs the tests with all arenas checked.
func TestMain(m *testing.M) { os.Exit(arenatest.Main(m)) }

// runners run a script on the Go heap and in arenas. Each returns the script's output and result, or its error.
func runners(t testing.TB) map[string]func(string) string {
	in := func(a *arena.Arena) func(string) string {
		return func(source string) string {
			defer a.Reset()
			p, err := script.ParseIn(a, source)
			if err != nil {
				return err.Error()
			}
			runtime.GC() // must not free anything that the program needs
			var out bytes.Buffer
			v, err := p.RunIn(a, nil, &out)
			if err != nil {
				return err.Error()
			}
			runtime.GC()
			return out.String() + script.Format(v)
		}
	}
	return map[string]func(string) string{
		"heap":           in(nil),
		"arena":          in(arenatest.New(t)),
		"self-contained": in(arenatest.New(t, arena.WithNoScan())),
	}
}

func TestScripts(t *testing.T) {
	all := runners(t)
	for _, c := range []struct{ source, want string }{
		{"", "nil"},
		{"return 1 + 2 * 3 - 10 / (4 - 2) % 3;", "5"},
		{"return -7 / 2 == -3 && !(1 >= 2) || nil;", "true"},
		{`return "a\tb\"" + 'x';`, `line 1: "'" is no expression`},
		{`let s = "a\n" + "b"; print(s); return len(s);`, "a\nb\n3"},
		{"fn fib(n) { if n < 2 { return n; } return fib(n-1) + fib(n-2); } return fib(15);", "610"},
		{"let l = []; for i in range(5) { if i == 1 { continue; } if i == 4 { break; } push(l, i * 1000); } return l;", "[0, 2000, 3000]"},
		{`let d = {b: 1, "a c": [2, nil, true]}; d.x = "y"; d["b"] = d.b + 1; for k in d { print(k); } return d;`, "b\na c\nx\n{b: 2, a c: [2, nil, true], x: \"y\"}"},
		{`return join(split("a,b,c", ","), "-") + str([1, "q"]) + str(int("12") + 1) + str(int("x"));`, `a-b-c[1, "q"]13nil`},
		{"let i = 0; while true { i = i + 1; if i == 300 { return i; } }", "300"},
		{"let l = [1, [2, 3]]; l[1][0] = l; l[1][0] = 7; return [l, keys({a: 1}), fn(x) { return x; }(9)];", `[[1, [7, 3]], ["a"], 9]`},
		{"fn f(a, b) { let c = a; { } return c; }", `line 1: ";" is missing before "return"`},
		{"let x = 1;\nreturn x.y;", "line 2: a number has no items"},
		{"return [1][1];", "line 1: there is no item 1 of 1"},
		{"return 1 / 0;", "line 1: division by 0"},
		{"return f;", "line 1: there is no f"},
		{"fn f(n) { return f(n + 1); } return f(0);", "line 1: calls are too deep"},
		{"let l = []; push(l, l); return l;", "..."},
		{"while true { }", "line 0: this takes too long"},
		{"break;", "line 1: there is no loop to leave"},
		{"return " + strings.Repeat("(", 300), "line 1: too deep"},
		{"# only a comment", "nil"},
		{`let s = "x`, "line 1: a text has no end"},
		{"if 1 > 2 { return 1; } else if 2 > 1 { return 2; } else { return 3; }", "2"},
	} {
		for name, run := range all {
			if strings.HasPrefix(c.source, "while") && testing.Short() {
				continue
			}
			if got := run(c.source); got != c.want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", name, c.source, got, c.want)
			}
		}
	}
}

// TestPatch: the patch leads to the current port.
func TestPatch(t *testing.T) {
	patch, err := os.ReadFile("port.patch")
	if err != nil {
		t.Fatal(err)
	}
	ported, hunk := "", ""
	check := func() {
		if !strings.Contains(ported, hunk) {
			t.Errorf("the port has no lines\n%s", hunk)
		}
		hunk = ""
	}
	for line := range strings.Lines(string(patch)) {
		name, isName := strings.CutPrefix(line, "+++ ")
		switch {
		case isName:
			text, err := os.ReadFile(strings.TrimSpace(name))
			if err != nil {
				t.Fatal(err)
			}
			ported = string(text)
		case strings.HasPrefix(line, "---") || strings.HasPrefix(line, "@@"):
			check()
		case line[0] != '-':
			hunk += line[1:]
		}
	}
	check()
}

func TestRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.script")
	if err := os.WriteFile(name, []byte(`print("a"); return 1 + 1;`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{{name}, nil} {
		var out bytes.Buffer
		if err := run(1<<20, files, strings.NewReader(`print("a"); return 2;`), &out); err != nil || out.String() != "a\n2\n" {
			t.Errorf("%q, %v", &out, err)
		}
	}
	if err := run(1<<20, []string{name + ".missing"}, nil, &bytes.Buffer{}); err == nil {
		t.Error("no error for a missing file")
	}
	long := strings.NewReader(`let s = ""; while true { s = s + "0123456789"; }`)
	if err := run(1<<20, nil, long, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a script that needs more than its budget: %v", err)
	}
}
