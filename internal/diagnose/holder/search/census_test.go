package search

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
)

type shelf struct {
	pad  [100]*int // above 512 bytes an object has a header
	next *book
}

type book struct {
	title string
	page  [4]int
}

var library = map[string]*shelf{}

// TestCensus: a program's dump is read again with the stacks that allocated its objects, the way to an object from a
// variable, and the place of the pointer in an object with a header.
func TestCensus(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	if runtime.GOARCH == "wasm" {
		t.Skip("the runtime can't write a heap dump here")
	}
	addr := stock()
	defer clear(library)
	data, err := dump.Write()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCensus(data, program)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	c.Objects(func(h Held) bool {
		if h.Addr != addr {
			return true
		}
		found = true
		if h.Neighbour || !called(h.Allocated, "stock") {
			t.Errorf("held %+v", h)
		}
		way := c.Way(h)
		if len(way) < 3 || way[0].Kind != Global {
			t.Fatalf("way %+v", way)
		}
		last, offset := way[len(way)-1], unsafe.Offsetof(shelf{}.next)
		if last.Kind != Object || last.Offset != offset || !called(last.Allocated, "stock") {
			t.Errorf("last step %+v, want offset %d", last, offset)
		}
		return false
	})
	if !found {
		t.Error("the object isn't in the census")
	}
}

// stock puts a book on a shelf in the library, and returns the book's address.
//
//go:noinline
func stock() uintptr {
	s := new(shelf)
	s.next = &book{title: "on the shelf"}
	library["here"] = s
	return uintptr(unsafe.Pointer(s.next))
}

func called(stack []runtime.Frame, function string) bool {
	for _, f := range stack {
		if strings.HasSuffix(f.Function, "."+function) {
			return true
		}
	}
	return false
}

// TestCensusOfRubbish: data other than dumps is an error.
func TestCensusOfRubbish(t *testing.T) {
	for _, data := range []string{"", "rubbish", dumptest.Header, dumptest.Header + "\x06"} {
		if _, err := ReadCensus([]byte(data), ""); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}
