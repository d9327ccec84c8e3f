package peers

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/bench/suite"
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
		if instrumented {
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
		want := 4
		if makers[name]().Mixed == nil {
			want = 3
		}
		if len(out.Results) != want || out.Note == "" {
			t.Errorf("%s: %+v, want %d results and a note", name, out, want)
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
		Mixed: func(n int) *Mix512 {
			var m mixer
			for i := range n {
				m.add8(makeFake[Mix8](f), i)
				m.add16(makeFake[Mix16](f), i)
				m.add24(makeFake[Mix24](f), i)
				m.add40(makeFake[Mix40](f), i)
				m.add48(makeFake[Mix48](f), i)
				m.add64(makeFake[Mix64](f), i)
				m.add80(makeFake[Mix80](f), i)
				m.add96(makeFake[Mix96](f), i)
				m.add128(makeFake[Mix128](f), i)
				m.add192(makeFake[Mix192](f), i)
				m.add256(makeFake[Mix256](f), i)
				m.add512(makeFake[Mix512](f), i)
			}
			return m.last
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
