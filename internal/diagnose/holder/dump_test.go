package holder

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"
)

// record puts together numbers and strings as a dump has them.
func record(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = binary.AppendUvarint(b, uint64(p))
		case string:
			b = binary.AppendUvarint(b, uint64(len(p)))
			b = append(b, p...)
		}
	}
	return b
}

// params are those of a 32-bit machine.
var params = record(tagParams, 0, 4, 0, 0, "386", "go1.26", 1)

func dumpOf(records ...[]byte) []byte {
	return append([]byte(header), bytes.Join(records, nil)...)
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "starts with"},
		{"another header", []byte("go1.4 heap dump\nxxx"), "starts with"},
		{"only a header", []byte(header), "ends in the middle"},
		{"no parameters", dumpOf(record(tagItab, 1, 2)), "doesn't start with its parameters"},
		{"odd words", dumpOf(record(tagParams, 0, 3, 0, 0, "", "", 1)), "pointers of 3 bytes"},
		{"unknown tag", dumpOf(params, record(18)), "unknown tag 18"},
		{"unknown field", dumpOf(params, record(tagObject, 16, "12345678", 4)), "unknown kind 4"},
		{"string without end", dumpOf(params, record(tagOtherRoot, 1000)), "ends in the middle"},
		{"frame without goroutine", dumpOf(params, record(tagStackFrame, 16, 0, 0, "", 0, 0, 0, "f", 0)), "without a goroutine"},
		{"number without end", dumpOf(params, bytes.Repeat([]byte{0xFF}, 20)), "more than 64 bits"},
	} {
		d, err := parse(c.data)
		if d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// small is a dump with a root that the runtime knows by name, and a cycle of
// objects that nothing leads to. Both have a pointer to address 0x3000.
var small = dumpOf(params,
	record(tagObject, 0x1000, "\x00\x30\x00\x00\x00\x00\x00\x00", fieldPtr, 0, fieldEnd),
	record(tagObject, 0x2000, "\x00\x20\x00\x00\x00\x40\x00\x00", fieldPtr, 0, fieldEface, 0, fieldEnd),
	record(tagObject, 0x3000, "12345678", fieldEnd),
	record(tagObject, 0x4000, "12345678", fieldEnd),
	record(tagOtherRoot, "the root", 0x1004),
	record(tagEOF))

func TestSearch(t *testing.T) {
	for target, want := range map[uintptr]string{
		0x3000: "held by: root the root\n  -> heap object of 8 bytes at 0x1000 (type unknown), offset 0\n  -> the escaped value at 0x3000",
		0x4000: "held by: something that the heap dump doesn't show, such as a cleanup's argument\n" +
			"  -> heap object of 8 bytes at 0x2000 (type unknown), offset 4\n  -> the escaped value at 0x4000",
		0x5000: "",
	} {
		d, err := parse(small)
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, []Range{{target, target + 8}}, nil)
		got := ""
		for _, p := range s.paths(&describer{s, &executable{}}, s.run()) {
			got += p.String()
		}
		if got != want {
			t.Errorf("%#x is held by\n%s\nwant\n%s", target, got, want)
		}
	}
}

// TestReferences: the code of each architecture names the variable at 0x12345678.
func TestReferences(t *testing.T) {
	arm64 := binary.LittleEndian.AppendUint32(nil, 0x90000000|0x2345&3<<29|0x2345>>2<<5|27) // ADRP 0x2345 pages on, R27
	arm64 = binary.LittleEndian.AppendUint32(arm64, 0xF9400000|0x678/8<<10|27<<5)           // MOVD 0x678(R27), R0
	for arch, code := range map[string][]byte{
		"amd64": {0x48, 0x8B, 0x05, 0x71, 0x56, 0x34, 0x02, 0x90}, // MOVQ 0x2345671(IP), AX
		"386":   {0x90, 0x8D, 0x05, 0x78, 0x56, 0x34, 0x12},       // LEAL 0x12345678, AX
		"arm64": arm64,
	} {
		found := false
		eachReference(arch, section{0x10000000, code}, func(_, to uintptr) { found = found || to == 0x12345678 })
		if !found {
			t.Errorf("%s: the address is not found", arch)
		}
	}
}

// TestTypeAt: what is not a type's descriptor is not taken for one, and the
// others are.
func TestTypeAt(t *testing.T) {
	e, err := openExecutable()
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[*dump](), reflect.TypeFor[search](),
		reflect.TypeFor[map[string][]byte](), reflect.TypeFor[chan int](), reflect.TypeFor[time.Time]()} {
		if got := e.typeAt(reflect.ValueOf(typ).Pointer()); got != typ {
			t.Errorf("the descriptor of %v is taken for that of %v", typ, got)
		}
	}
	heap := new(int)
	n, types := 0, reflect.ValueOf(reflect.TypeFor[int]()).Pointer()
	home := e.sectionOf(types)
	for addr := home.addr; addr < home.addr+uintptr(len(home.data)); addr++ {
		if typ := e.typeAt(addr); typ != nil && typ.String() != "" {
			n++
		}
	}
	if n < 100 || n > 20000 {
		t.Errorf("%d descriptors in %d bytes", n, len(home.data))
	}
	if typ := e.typeAt(reflect.ValueOf(heap).Pointer()); typ != nil {
		t.Errorf("the address of an int is taken for the descriptor of %v", typ)
	}
}

// TestBigEndian: words are read in the order that the dump says.
func TestBigEndian(t *testing.T) {
	d, err := parse(dumpOf(
		record(tagParams, 1, 8, 0, 0, "s390x", "go1.26", 1),
		record(tagObject, 0x1000, "\x00\x00\x00\x00\x00\x00\x30\x00", fieldPtr, 0, fieldEnd),
		record(tagOtherRoot, "the root", 0x1000),
		record(tagEOF)))
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(d, []Range{{0x3000, 0x3008}}, nil)
	if links := s.run(); len(links) != 1 || links[0].to != 0x3000 {
		t.Errorf("got %v", links)
	}
}
