package search

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// unnamed returns types without a program.
func unnamed(d *dump.Dump) *symbols.Types { return symbols.NewTypes(d, &symbols.Executable{}) }

// This file tests rare contents of a heap, with made-up dumps.

// holders returns the holders of the 8 bytes at an address, according to a dump.
func holders(t *testing.T, target uintptr, ignored []dump.Range, records ...[]byte) string {
	t.Helper()
	d, err := dump.Parse(dumptest.Of(records...))
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(d, []dump.Range{{Start: target, End: target + 8}}, ignored)
	var b strings.Builder
	for _, p := range newDescriber(s, unnamed(d)).paths(s.run()) {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// leftOver is a call of a function that has 0x2000 on its stack, where the dump knows no pointer.
func leftOver(function string, entry uintptr) []byte {
	return dumptest.Call(function, entry, "\x00\x20\x00\x00")
}

func TestMadeUpHolders(t *testing.T) {
	const target = 0x3000
	end := dumptest.Object(target, 0, 0)
	variable := dumptest.Variables(0x500, "\x00\x30\x00\x00", 0)
	for _, c := range []struct {
		name    string
		want    string
		ignored []dump.Range
		records [][]byte
	}{
		{
			"two objects that hold each other",
			"doesn't show, such as a cleanup's argument\n  -> heap object of 8 bytes at 0x2000 (type unknown), offset 4\n  -> the escaped",
			nil, [][]byte{dumptest.Object(0x1000, 0x2000, 0), dumptest.Object(0x2000, 0x1000, target), end},
		},
		{"a variable", "global at 0x500\n  -> the escaped", nil, [][]byte{variable, end}},
		{"an ignored variable", "", []dump.Range{{Start: 0x500, End: 0x504}}, [][]byte{variable, end}},
		{
			"the record of a goroutine",
			"root of a test\n  -> the runtime's record of goroutine 7 [select]\n  -> the escaped",
			nil, [][]byte{dumptest.Goroutine(0x2000, 0), dumptest.Object(0x2000, 0, target), dumptest.Root("of a test", 0x2000), end},
		},
		{
			"a frame of a function that is not in this program",
			"stack of goroutine 7 [select], in main.lost\n  -> the escaped",
			nil, [][]byte{dumptest.Goroutine(0x2000, 0), dumptest.Call("main.lost", 1, "\x00\x30\x00\x00", 0), end},
		},
		{
			"a call of the runtime with a left-over word on its stack",
			"held by: something that the heap dump doesn't show",
			nil, [][]byte{dumptest.Goroutine(0x4000, 0), leftOver("runtime.gopark", 1), dumptest.Object(0x1000, 0x2000, 0), dumptest.Object(0x2000, 0, target), end},
		},
		{
			"a call of the runtime by another package's name",
			"held by: something that the heap dump doesn't show",
			nil, [][]byte{dumptest.Goroutine(0x4000, 0), leftOver("time.Sleep", reflect.ValueOf(time.Sleep).Pointer()), dumptest.Object(0x1000, 0x2000, 0), dumptest.Object(0x2000, 0, target), end},
		},
		{
			"a call of the standard library",
			"held by: perhaps the stack of goroutine 7 [select], in time.Now",
			nil, [][]byte{dumptest.Goroutine(0x4000, 0), leftOver("time.Now", reflect.ValueOf(time.Now).Pointer()), dumptest.Object(0x1000, 0x2000, 0), dumptest.Object(0x2000, 0, target), end},
		},
		{
			"a call of the program's with the same word on its stack",
			"held by: perhaps the stack of goroutine 7 [select], in main.lost\n  -> heap object of 8 bytes at 0x2000",
			nil, [][]byte{dumptest.Goroutine(0x4000, 0), leftOver("main.lost", 1), dumptest.Object(0x1000, 0x2000, 0), dumptest.Object(0x2000, 0, target), end},
		},
		{
			"a small object, whose neighbour was allocated by another function",
			"offset 4, allocated by main.here (a.go:1)\n  -> the escaped",
			nil, [][]byte{
				dumptest.Root("of a test", 0x2000), dumptest.Object(0x2000, 0, target), dumptest.Object(0x2008, 0, 0), end,
				dumptest.Stack(1, "main.here"), dumptest.Sample(0x2000, 1), dumptest.Stack(2, "main.there"), dumptest.Sample(0x2008, 2),
			},
		},
		{
			"a deferred call of nobody's",
			"deferred call of an unknown goroutine\n  -> the escaped",
			nil, [][]byte{dumptest.Deferred(0x2000, target), end},
		},
	} {
		if got := holders(t, target, c.ignored, c.records...); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: want %s, got\n%s", c.name, c.want, got)
		}
	}
}

// TestEnoughHolders: of very many pointers to the target only the first are examined.
func TestEnoughHolders(t *testing.T) {
	for _, direct := range []bool{false, true} {
		records := [][]byte{dumptest.Object(0x3000, 0, 0)}
		for i := range 2 * enough {
			records = append(records, dumptest.Object(0x10000+8*i, 0x3000, 0))
		}
		for i := range 2 * enough {
			to := 0x10000 + 8*i
			if direct {
				to = 0x3000
			}
			records = append(records, dumptest.Root(fmt.Sprint(i), to))
		}
		d, err := dump.Parse(dumptest.Of(records...))
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, []dump.Range{{Start: 0x3000, End: 0x3008}}, nil)
		links := s.run()
		if len(links) != enough {
			t.Errorf("%d pointers looked at, want %d", len(links), enough)
		}
		if paths := newDescriber(s, unnamed(d)).paths(links); len(paths) != maxPaths {
			t.Errorf("%d paths, want %d", len(paths), maxPaths)
		}
	}
}

func TestSearch(t *testing.T) {
	for target, want := range map[uintptr]string{
		0x3000: "held by: root the root\n  -> heap object of 8 bytes at 0x1000 (type unknown), offset 0\n  -> the escaped value at 0x3000",
		0x4000: "held by: something that the heap dump doesn't show, such as a cleanup's argument\n" +
			"  -> heap object of 8 bytes at 0x2000 (type unknown), offset 4\n  -> the escaped value at 0x4000",
		0x5000: "",
	} {
		d, err := dump.Parse(dumptest.Small)
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, []dump.Range{{Start: target, End: target + 8}}, nil)
		got := ""
		for _, p := range newDescriber(s, unnamed(d)).paths(s.run()) {
			got += p.String()
		}
		if got != want {
			t.Errorf("%#x is held by\n%s\nwant\n%s", target, got, want)
		}
	}
}

func TestSlotName(t *testing.T) {
	if name := slotName(".ctrl"); name != ".ctrl" {
		t.Error(name)
	}
}
