package peers

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/engine/race"
)

// TestOursAreClean: our arenas keep every promise. The self-contained one loses unregistered pointers, as documented.
func TestOursAreClean(t *testing.T) {
	for _, name := range []string{suite.Heap, suite.Harena, suite.Typed, suite.SelfContained} {
		f, err := inspectPeer(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.objects < 1000 {
			t.Errorf("%s: only %d objects were looked at", name, f.objects)
		}
		remarks := f.remarks(name)
		if race.Instrumented {
			remarks = slices.DeleteFunc(remarks, func(r suite.Remark) bool { return strings.Contains(r.Text, "on the heap") })
		}
		if name == suite.SelfContained && len(remarks) == 1 && f.lostThough == 0 && strings.Contains(remarks[0].Text, "KeepAlive") {
			continue
		}
		if len(remarks) != 0 {
			t.Errorf("%s: %v", name, remarks)
		}
	}
}

// TestAllCanBeChecked: defects in other libraries are theirs; that the checks come to an end is ours.
func TestAllCanBeChecked(t *testing.T) {
	for _, name := range testable() {
		if suite.Ours(name) && name != suite.Typed {
			continue // TestOursAreClean has them
		}
		out, err := Suite().Run(name, suite.Config{})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(out.Results) != 4 || out.Note == "" {
			t.Errorf("%s: %+v, want 4 results and a note", name, out)
		}
	}
}

// A fake is an arena with one defect of the checks' kinds, or none.
type fake struct {
	mem     []uint64 // invisible to the collector
	used    uintptr
	overlap bool
	odd     bool // alignment
	dirty   bool
	onHeap  bool
}

func (f *fake) alloc(size uintptr) unsafe.Pointer {
	if f.onHeap {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, size)))
	}
	if f.used = (f.used + 7) &^ 7; f.odd {
		f.used += 4
	}
	p := unsafe.Add(unsafe.Pointer(&f.mem[0]), f.used)
	if f.used += size; f.overlap {
		f.used -= size / 4
	}
	if !f.dirty {
		clear(unsafe.Slice((*byte)(p), size))
	}
	return p
}

func makeFake[T any](f *fake) *T {
	var zero T
	return (*T)(f.alloc(unsafe.Sizeof(zero)))
}

func (f fake) ops() *Ops {
	f.mem = make([]uint64, 1<<20)
	return &Ops{
		New64: func(n int) {
			for i := range n {
				Keep(makeFake[Bytes64](&f), i)
			}
		},
		Reset: func() { f.used = 0 },
	}
}

func TestDefectsAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		fake fake
		want string // in the only remark
	}{
		{"none", fake{}, ""},
		{"overlap", fake{overlap: true}, "returns memory twice"},
		{"odd", fake{odd: true}, "doesn't align"},
		{"dirty", fake{dirty: true}, "isn't zeroed"},
		{"heap", fake{onHeap: true}, "allocates on the heap"},
	} {
		r := inspect(c.fake.ops, true).remarks(c.name)
		if c.want == "" && len(r) != 0 || c.want != "" && (len(r) != 1 || !strings.Contains(r[0].Text, c.want)) {
			t.Errorf("%s: remarks %q, want %q only", c.name, r, c.want)
		}
	}
}

// TestLostPointersAreFound also distinguishes an arena that needs registered pointers from one that ignores them.
func TestLostPointersAreFound(t *testing.T) {
	for _, told := range []bool{false, true} {
		f := inspect(func() *Ops { return losing(told) }, true)
		if f.lost < lostSteps/2 {
			t.Errorf("only %d of %d lost pointers were seen", f.lost, lostSteps)
		}
		r := f.remarks("losing")
		if len(r) != 1 || strings.Contains(r[0].Text, "KeepAlive") != told || told && f.lostThough != 0 || !told && f.lostThough != f.lost {
			t.Errorf("told of pointers: %v; found %+v, remarks %q", told, f, r)
		}
	}
}

// losing is an arena that the collector doesn't scan. Pointers in its values may be registered.
func losing(told bool) *Ops {
	f := &fake{mem: make([]uint64, 1<<20)}
	o := &Ops{
		NewNode: func(n int) {
			for i := range n {
				Keep(makeFake[Node](f), i)
			}
		},
		Reset: func() { f.used = 0 },
	}
	if told {
		var kept []any
		o.KeepAlive = func(v any) { kept = append(kept, v) }
	}
	return o
}

// TestPanicsAreErrors: a library that crashes is reported, not fatal.
func TestPanicsAreErrors(t *testing.T) {
	makers["crashing"] = func() *Ops { return &Ops{New8: func(int) { panic("crash") }} }
	defer delete(makers, "crashing")
	if _, err := inspectPeer("crashing"); err == nil || !strings.Contains(err.Error(), "crash") {
		t.Errorf("error %v, want the panic", err)
	}
}
