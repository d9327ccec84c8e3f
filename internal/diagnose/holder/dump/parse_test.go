package dump

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
)

// dumpOf is a dump without parameters and end.
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
		{"no parameters", dumpOf(dumptest.Record(tagItab, 1, 2)), "doesn't start with its parameters"},
		{"odd words", dumpOf(dumptest.Record(tagParams, 0, 3, 0, 0, "", "", 1)), "pointers of 3 bytes"},
		{"unknown tag", dumptest.Unfinished(dumptest.Record(18)), "unknown tag 18"},
		{"unknown field", dumptest.Unfinished(dumptest.Record(tagObject, 16, "12345678", 4)), "unknown kind 4"},
		{"string without end", dumptest.Unfinished(dumptest.Record(tagOtherRoot, 1000)), "ends in the middle"},
		{"frame without goroutine", dumptest.Unfinished(dumptest.Record(tagStackFrame, 16, 0, 0, "", 0, 0, 0, "f", 0)), "without a goroutine"},
		{"number without end", dumptest.Unfinished(bytes.Repeat([]byte{0xFF}, 20)), "more than 64 bits"},
	} {
		d, err := parse(c.data)
		if d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// TestBrokenDump: an error names the toolchain that wrote the dump.
func TestBrokenDump(t *testing.T) {
	_, err := Parse(dumptest.Unfinished(dumptest.Record(18)))
	if err == nil || !strings.Contains(err.Error(), "reading the heap dump of "+runtime.Version()) {
		t.Errorf("got error %v", err)
	}
}

// TestBigEndian: words are read in the dump's byte order.
func TestBigEndian(t *testing.T) {
	d, err := parse(dumpOf(
		dumptest.Record(tagParams, 1, 8, 0, 0, "s390x", "go1.26", 1),
		dumptest.Record(tagObject, 0x1000, "\x00\x00\x00\x00\x00\x00\x30\x00", fieldPtr, 0, fieldEnd),
		dumptest.Record(tagEOF)))
	if err != nil || d.Order != binary.BigEndian {
		t.Fatal(d, err)
	}
	var got []uintptr
	d.Pointers(d.Object(0), func(_, to uintptr) bool { got = append(got, to); return true })
	if len(got) != 1 || got[0] != 0x3000 {
		t.Errorf("got %#x", got)
	}
}

// TestParsePrefixes: a dump that was cut off anywhere is an error.
func TestParsePrefixes(t *testing.T) {
	data, err := Write()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(data); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data); n += 1 + len(data)/50 {
		if _, err := parse(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a dump", n, len(data))
		}
	}
}

// TestLargeHeap: above the limit there is no dump.
func TestLargeHeap(t *testing.T) {
	defer func(limit uint64) { maxHeap = limit }(maxHeap)
	for _, take := range []func() (*Dump, error){Take, TakeAsIs} {
		maxHeap = 1
		if _, err := take(); err == nil || !strings.Contains(err.Error(), "more than 1,") {
			t.Errorf("got error %v", err)
		}
		maxHeap = 100 << 20
		if _, err := take(); err != nil {
			t.Error(err)
		}
	}
}

// TestCaller: a stack with only the standard library's functions has no caller.
func TestCaller(t *testing.T) {
	if name := caller("runtime.read(1)\n\tfile.go:1\n"); name != "?" {
		t.Error(name)
	}
}
