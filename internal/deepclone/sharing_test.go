package deepclone_test

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

type (
	part   struct{ a, b int }
	holder struct {
		head  string
		parts [4]part
		tail  *int
	}
)

func TestDeepCloneKeepsOverlappingSlices(t *testing.T) {
	base := make([]*int, 10, 20)
	for i := range base {
		base[i] = pointerTo(i)
	}
	c := arena.DeepClone([][]*int{base[2:4], base[3:6:8], base[6:6], base[8:10], base[5:9], base[1:2]})
	switch {
	case &c[0][1] != &c[1][0], &c[1][2] != &c[4][0], &c[3][0] != &c[4][3]:
		t.Error("overlapping slices do not share elements")
	case cap(c[1]) != 5 || cap(c[0]) != 8 || cap(c[3]) != 2:
		t.Errorf("capacities %d, %d, %d: not what others cover", cap(c[0]), cap(c[1]), cap(c[3]))
	case cap(c[5]) != 1 || cap(c[2]) != 0:
		t.Error("capacity that nobody covers was kept")
	case *c[4][3] != 8 || *c[5][0] != 1:
		t.Error("wrong elements")
	}
	holes := arena.DeepClone([][]*int{base[2:4], base[6:7], base})
	for i, p := range holes[2] {
		if *p != i || p == base[i] || &holes[2][2] != &holes[0][0] {
			t.Error("a slice with parts that were met before")
		}
	}
	pairs := make([][2]*int, 4, 9)
	for i := range pairs {
		pairs[i] = [2]*int{pointerTo(i)}
	}
	two := arena.DeepClone([]any{(*[2][2]*int)(pairs[:2]), pairs[1:3:8], &pairs[3]})
	if p := two[1].([][2]*int); &two[0].(*[2][2]*int)[1] != &p[0] || *p[1][0] != 2 || cap(p) != 2 {
		t.Error("arrays and slices of arrays")
	}
	if p := arena.DeepClone([][][2]*int{pairs[:1], pairs[:3]}); cap(p[0]) != 3 || cap(p[1]) != 3 {
		t.Errorf("capacities %d, %d of slices of arrays", cap(p[0]), cap(p[1]))
	}
	// Touching is not overlapping.
	halves := arena.DeepClone([][]*int{base[:5:5], base[5:]})
	if end := dataOf(halves[0]) + 5*unsafe.Sizeof(base[0]); end == dataOf(halves[1]) {
		t.Error("adjacent slices share a block")
	}
	plain := []byte("0123456789")
	bytes := arena.DeepClone([][]byte{plain[:6], plain[4:]})
	if bytes[1][0] = 'x'; bytes[0][4] != 'x' || plain[4] != '4' || string(bytes[1]) != "x56789" {
		t.Error("overlapping byte slices")
	}
	type floats struct{ all, part []float64 }
	f := []float64{1, 2, 3}
	if c := arena.DeepClone(floats{f[:2], f[1:]}); &c.all[1] != &c.part[0] || c.part[1] != 3 || cap(c.all) != 3 {
		t.Error("overlapping float slices")
	}
}

func TestDeepCloneSharesStrings(t *testing.T) {
	text := string(make([]byte, 1<<16))
	var s []string
	for i := range 1000 {
		s = append(s, text[i:], text, text[:i])
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := arena.DeepClone(s)
	runtime.ReadMemStats(&after)
	if !reflect.DeepEqual(c, s) || dataOf(c[0]) == dataOf(text) {
		t.Error("wrong strings")
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes for substrings of one string of 65536", used)
	}
}

func TestDeepCloneOfConvertedPointers(t *testing.T) {
	type renamed part
	p := &part{1, 2}
	c := arena.DeepClone([]any{p, (*renamed)(p), &p.a})
	if unsafe.Pointer(c[0].(*part)) != unsafe.Pointer(c[1].(*renamed)) || c[2].(*int) != &c[0].(*part).a {
		t.Error("one object under two names became two")
	}
	w := &wrapper{point{1, 2}}
	if c := arena.DeepClone([]any{&w.inner.X, &w.inner, w}); c[1].(*point) != &c[2].(*wrapper).inner || c[0].(*int) != &c[1].(*point).X {
		t.Error("a struct in a struct of the same size")
	}
	type node struct{ next *node }
	type outer struct {
		_ [0]*int
		n node
	}
	o := &outer{}
	o.n.next = &o.n
	if c := arena.DeepClone([]any{o, &o.n}); c[1].(*node) != &c[0].(*outer).n {
		t.Error("a struct of the same size as its node")
	}
	if c := arena.DeepClone([]any{&o.n, o}); c[0].(*node) != &c[1].(*outer).n || c[0].(*node).next != c[0].(*node) {
		t.Error("a node in a struct of the same size")
	}
}

type listNode struct {
	value int
	next  *listNode
}

// The source is in memory that the GC doesn't scan, and is overwritten afterwards.
func TestDeepCloneOutOfUnscannedMemory(t *testing.T) {
	const n = 1000
	chunk := make([]uint64, n*int(unsafe.Sizeof(listNode{})/8))
	at := func(i int) *listNode {
		return (*listNode)(unsafe.Pointer(&chunk[i*int(unsafe.Sizeof(listNode{})/8)]))
	}
	for i := range n {
		*at(i) = listNode{i, at((i*7 + 3) % n)}
	}
	c := arena.DeepClone(at(0))
	for i := range chunk {
		chunk[i] = 0xdbdbdbdbdbdbdbdb
	}
	runtime.GC()
	for i := 0; ; {
		if c.value != i {
			t.Fatalf("value %d, want %d", c.value, i)
		}
		c = c.next
		if i = (i*7 + 3) % n; i == 0 {
			break
		}
	}
}

var globalNode = listNode{value: 5}

func TestDeepCloneOfGlobals(t *testing.T) {
	globalNode.next = &globalNode
	if c := arena.DeepClone(&globalNode); c == &globalNode || c.next != c || c.value != 5 {
		t.Error("global variable is not cloned")
	}
}
