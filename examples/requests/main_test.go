package main

import (
	"bytes"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

func arenas() map[string]*arena.Arena {
	return map[string]*arena.Arena{
		"heap":           nil,
		"default":        arena.NewArena(),
		"self-contained": arena.NewArena(arena.WithNoScan()),
	}
}

func TestDecode(t *testing.T) {
	const line = "method=GET path=/orders/17/ status=200 took=3.5ms tag=eu user=ada tag=beta agent=x"
	want := &request{
		Method: "GET",
		Path:   []string{"orders", "17"},
		Status: 200,
		Took:   3500 * time.Microsecond,
		Tags:   []string{"eu", "beta"},
		Other:  &field{"agent", "x", &field{"user", "ada", nil}},
	}
	for name, a := range arenas() {
		t.Run(name, func(t *testing.T) {
			for range 3 { // in used memory, too
				a.Reset()
				buffer := []byte(line)
				got, err := decode(a, buffer)
				if err != nil {
					t.Fatal(err)
				}
				clear(buffer) // by the next line
				runtime.GC()
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for name, a := range arenas() {
		for _, line := range []string{"status", "status=x", "took=3", "method=GET 17"} {
			if r, err := decode(a, []byte(line)); err == nil {
				t.Errorf("%s: %q is %+v", name, line, *r)
			}
		}
		if _, err := serve(a, [][]byte{[]byte("method")}, 1); err == nil {
			t.Errorf("%s: serve has no error", name)
		}
	}
}

// TestWarmArenaAllocatesNothing checks the program's claim.
func TestWarmArenaAllocatesNothing(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("temporary values are moved to the heap")
	}
	lines := sample()
	allocations := func(a *arena.Arena) float64 {
		return testing.AllocsPerRun(10, func() {
			if _, err := serve(a, lines, len(lines)); err != nil {
				t.Fatal(err)
			}
		})
	}
	heap := allocations(nil)
	for name, a := range arenas() {
		if n := allocations(a); a != nil && n > heap/2 {
			t.Errorf("%s: %v allocations for %d requests; %v on the heap", name, n, len(lines), heap)
		}
		if n := a.UsedBytes(); n != 0 {
			t.Errorf("%s: %d bytes in use after serve", name, n)
		}
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 2000); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	sum := (1000*100*2 + 999*1000) * time.Microsecond // twice 100us to 1099us
	if strings.Count(text, sum.String()) != 2 || !strings.Contains(text, "heap") || !strings.Contains(text, "arena") {
		t.Errorf("no two sums of %v in\n%s", sum, text)
	}
}
