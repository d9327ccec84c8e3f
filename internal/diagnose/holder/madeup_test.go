package holder

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// This file tests what a heap of this program seldom has, with made-up dumps.

// object is a record of an object on a 32-bit machine, in which all words are pointers.
func object(addr int, words ...uint32) []byte {
	var contents []byte
	parts := []any{tagObject, addr, ""}
	for i, w := range words {
		contents = binary.LittleEndian.AppendUint32(contents, w)
		parts = append(parts, fieldPtr, 4*i)
	}
	parts[2] = string(contents)
	return record(append(parts, fieldEnd)...)
}

// holders returns who holds the 8 bytes at an address, by what a dump says.
func holders(t *testing.T, target uintptr, ignored []Range, records ...[]byte) string {
	t.Helper()
	d, err := parse(dumpOf(append([][]byte{params}, append(records, record(tagEOF))...)...))
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(d, []Range{{target, target + 8}}, ignored)
	var b strings.Builder
	for _, p := range s.paths(&describer{s, &executable{}}, s.run()) {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// waiting is a goroutine, with its record at an address, that runs the closure at another.
func waiting(addr, closure int) []byte {
	return record(tagGoroutine, addr, 0, 7, 0, 4, 0, 0, 0, "select", closure, 0, 0, 0)
}

// stackWord is a call of a function that has 0x2000 on its stack, where the dump knows no pointer.
func stackWord(function string, entry uintptr) []byte {
	return record(tagStackFrame, 0x800, 0, 0, "\x00\x20\x00\x00", int(entry), int(entry), 0, function, fieldEnd)
}

// allocates is a stack of the memory profile, of one call.
func allocates(bucket int, function string) []byte {
	return record(tagMemProf, bucket, 8, 1, function, "a.go", 1, 1, 0)
}

func TestMadeUpHolders(t *testing.T) {
	const target = 0x3000
	end := object(target, 0, 0)
	variable := record(tagData, 0x500, "\x00\x30\x00\x00", fieldPtr, 0, fieldEnd)
	for _, c := range []struct {
		name    string
		want    string
		ignored []Range
		records [][]byte
	}{
		{
			"two objects that hold each other",
			"doesn't show, such as a cleanup's argument\n  -> heap object of 8 bytes at 0x2000 (type unknown), offset 4\n  -> the escaped",
			nil, [][]byte{object(0x1000, 0x2000, 0), object(0x2000, 0x1000, target), end},
		},
		{"a variable", "global at 0x500 (name unknown)\n  -> the escaped", nil, [][]byte{variable, end}},
		{"an ignored variable", "", []Range{{0x500, 0x504}}, [][]byte{variable, end}},
		{
			"the record of a goroutine",
			"root of a test\n  -> the runtime's record of goroutine 7 [select]\n  -> the escaped",
			nil, [][]byte{waiting(0x2000, 0), object(0x2000, 0, target), record(tagOtherRoot, "of a test", 0x2000), end},
		},
		{
			"a frame of a function that is not in this program",
			"stack of goroutine 7 [select], in main.lost\n  -> the escaped",
			nil, [][]byte{waiting(0x2000, 0), record(tagStackFrame, 0x800, 0, 0, "\x00\x30\x00\x00", 1, 1, 0, "main.lost", fieldPtr, 0, fieldEnd), end},
		},
		{
			"a call of the runtime with a left-over word on its stack",
			"held by: something that the heap dump doesn't show",
			nil, [][]byte{waiting(0x4000, 0), stackWord("runtime.gopark", 1), object(0x1000, 0x2000, 0), object(0x2000, 0, target), end},
		},
		{
			"a call of the runtime by another package's name",
			"held by: something that the heap dump doesn't show",
			nil, [][]byte{waiting(0x4000, 0), stackWord("time.Sleep", reflect.ValueOf(time.Sleep).Pointer()), object(0x1000, 0x2000, 0), object(0x2000, 0, target), end},
		},
		{
			"a call of the standard library",
			"held by: perhaps the stack of goroutine 7 [select], in time.Now",
			nil, [][]byte{waiting(0x4000, 0), stackWord("time.Now", reflect.ValueOf(time.Now).Pointer()), object(0x1000, 0x2000, 0), object(0x2000, 0, target), end},
		},
		{
			"a call of the program's with the same word on its stack",
			"held by: perhaps the stack of goroutine 7 [select], in main.lost\n  -> heap object of 8 bytes at 0x2000",
			nil, [][]byte{waiting(0x4000, 0), stackWord("main.lost", 1), object(0x1000, 0x2000, 0), object(0x2000, 0, target), end},
		},
		{
			"a small object, whose neighbour was allocated by another function",
			"offset 4, allocated by main.here (a.go:1)\n  -> the escaped",
			nil, [][]byte{
				record(tagOtherRoot, "of a test", 0x2000), object(0x2000, 0, target), object(0x2008, 0, 0), end,
				allocates(1, "main.here"), record(tagAllocSample, 0x2000, 1), allocates(2, "main.there"), record(tagAllocSample, 0x2008, 2),
			},
		},
		{
			"a deferred call of nobody's",
			"deferred call of an unknown goroutine\n  -> the escaped",
			nil, [][]byte{record(tagDefer, 0, 0x2000, 0, 0, target, 0, 0), end},
		},
	} {
		if got := holders(t, target, c.ignored, c.records...); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: want %s, got\n%s", c.name, c.want, got)
		}
	}
}

// TestVariableWithoutType: a program may have a symbol table and no debugging information.
func TestVariableWithoutType(t *testing.T) {
	d, err := parse(dumpOf(params, object(0x3000, 0, 0),
		record(tagData, 0x500, "\x00\x00\x00\x00\x00\x30\x00\x00", fieldPtr, 4, fieldEnd), record(tagEOF)))
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(d, []Range{{0x3000, 0x3008}}, nil)
	paths := s.paths(&describer{s, &executable{symbols: []symbol{{0x500, 8, "main.held"}}}}, s.run())
	if len(paths) != 1 || !strings.HasPrefix(paths[0].String(), "held by: global main.held (offset 4)\n") {
		t.Errorf("%v", paths)
	}
}

// TestBrokenDump: an error says of which toolchain the dump is.
func TestBrokenDump(t *testing.T) {
	_, err := take(func() ([]byte, error) { return dumpOf(params, record(18)), nil })
	if err == nil || !strings.Contains(err.Error(), "reading the heap dump of "+runtime.Version()) {
		t.Errorf("got error %v", err)
	}
}

// TestEnoughHolders: of very many pointers to the target the first are looked at.
func TestEnoughHolders(t *testing.T) {
	for _, direct := range []bool{false, true} {
		records := [][]byte{params, object(0x3000, 0, 0)}
		for i := range 2 * enough {
			records = append(records, object(0x10000+8*i, 0x3000, 0))
		}
		for i := range 2 * enough {
			to := 0x10000 + 8*i
			if direct {
				to = 0x3000
			}
			records = append(records, record(tagOtherRoot, fmt.Sprint(i), to))
		}
		d, err := parse(dumpOf(append(records, record(tagEOF))...))
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, []Range{{0x3000, 0x3008}}, nil)
		links := s.run()
		if len(links) != enough {
			t.Errorf("%d pointers looked at, want %d", len(links), enough)
		}
		if paths := s.paths(&describer{s, &executable{}}, links); len(paths) != maxPaths {
			t.Errorf("%d paths, want %d", len(paths), maxPaths)
		}
	}
}

// TestFieldsOfTypes: a path through a type ends at a pointer or nowhere.
func TestFieldsOfTypes(t *testing.T) {
	type inner struct {
		_ uint32
		_ uint64
		p *int
	}
	type outer struct {
		n    int
		list [3]inner
		raw  uint64
	}
	d := &describer{search: &search{dump: &dump{wordSize: wordBytes}}, exe: &executable{}}
	size, at := reflect.TypeFor[inner]().Size(), reflect.TypeFor[inner]().Field(2).Offset
	for _, c := range []struct {
		t      typing
		offset uintptr
		want   string
		ok     bool
	}{
		{typing{elem: reflect.TypeFor[outer](), single: true}, wordBytes + size + at, ".list[1].p", true},
		{typing{elem: reflect.TypeFor[outer](), single: true}, 0, ".n", false},
		{typing{elem: reflect.TypeFor[outer](), single: true}, wordBytes + 3*size, ".raw", false},
		{typing{elem: reflect.TypeFor[outer](), single: true}, reflect.TypeFor[outer]().Size() + wordBytes + at, "", false},
		{typing{elem: reflect.TypeFor[outer](), single: true}, wordBytes + at + 1, "", false},
		{typing{elem: reflect.TypeFor[inner](), single: true}, 4, "", false}, // between fields, on 64-bit machines
		{typing{elem: reflect.TypeFor[inner]()}, 2*size + at, "[2].p", true},
		{typing{elem: reflect.TypeFor[inner](), at: 8}, 0, "", false},
		{typing{elem: reflect.TypeFor[struct{}]()}, 0, "", false},
		{typing{}, 0, "", false},
	} {
		path, next, ok := d.inside(c.t, c.offset, 0)
		if ok != c.ok || ok && (path != c.want || next.elem != reflect.TypeFor[int]()) {
			t.Errorf("%v at %d: %q, %v, %t", c.t.elem, c.offset, path, next.elem, ok)
		}
	}
	if text := (typing{}).String(); text != "" {
		t.Errorf("nothing is a %q", text)
	}
}

// TestDynamicTypes: the second word of an interface is the value itself if that is a
// single pointer, however wrapped.
func TestDynamicTypes(t *testing.T) {
	e, err := openExecutable()
	if err != nil {
		t.Fatal(err)
	}
	d := &describer{search: &search{dump: &dump{wordSize: wordBytes}}, exe: e}
	type one struct{ p *tree }
	type two struct{ p [1]one }
	for _, c := range []struct {
		value any
		want  typing
	}{
		{&tree{}, typing{elem: reflect.TypeFor[tree](), single: true}},
		{two{}, typing{elem: reflect.TypeFor[tree](), single: true}},
		{[1]*tree{}, typing{elem: reflect.TypeFor[tree](), single: true}},
		{tree{}, typing{elem: reflect.TypeFor[tree](), single: true}},
		{map[int]int{}, typing{elem: reflect.TypeFor[map[int]int](), single: true}},
	} {
		if got := d.dynamic(reflect.ValueOf(reflect.TypeOf(c.value)).Pointer()); got != c.want {
			t.Errorf("%T: %v", c.value, got)
		}
	}
}

// TestUnknownCode: addresses that are of no function have no line.
func TestUnknownCode(t *testing.T) {
	for _, pc := range []uintptr{0, 1, ^uintptr(0)} {
		if f := frameOf(pc); f.Function != "" {
			t.Errorf("%#x is in %v", pc, f)
		}
		if w := whereIs(pc); w != nil {
			t.Errorf("%#x is in %v", pc, w)
		}
	}
	if name := functionName(1); name != "a function at 0x1" {
		t.Error(name)
	}
	if name := slotName(".ctrl"); name != ".ctrl" {
		t.Error(name)
	}
	if name := caller("runtime.read(1)\n\tfile.go:1\n"); name != "?" {
		t.Error(name)
	}
	if runtime.GOARCH == "amd64" {
		code := section{0x1000, []byte{0, 0, 0x48, 0x8B, 0x05, 0xF9, 0xFF, 0xFF, 0xFF}} // MOVQ -7(IP), AX
		e := &executable{text: code}
		if users := e.usersOf(0x1002 + 100); len(users) != 1 || users[0].addr != 0x1002 {
			t.Errorf("%v use the variable", users)
		}
		if users := e.usersOf(0x1002 + maxVariable + 1); users != nil {
			t.Errorf("%v use a variable that is far", users)
		}
	}
}
