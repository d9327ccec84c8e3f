package deepclone_test

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
)

// A viewed node is reached through types that don't contain each other.
type viewed struct {
	n    *[4]int // too large for the tiny allocator, whose objects keep their neighbours alive
	next *viewed
	pad  [4]int
}

// Views of the same memory that no type contains both of: each is a clone of its own, and no
// pointer may end up where the GC does not see it.
func TestDeepCloneOfUnsafeViews(t *testing.T) {
	nodes := make([]viewed, 4)
	for i := range nodes {
		nodes[i] = viewed{n: &[4]int{i}, next: &nodes[(i+1)%4]}
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&nodes[0])), len(nodes)*int(unsafe.Sizeof(viewed{})))
	for i, views := range [][]any{
		{&nodes[0], raw}, {raw, &nodes[1]}, {&nodes[2], raw[8:30], nodes}, {&nodes[3], raw[:len(raw)-8], nodes[2:]},
		{&nodes[0], raw, nodes},
	} {
		clone := arena.DeepClone(views)
		if i == 4 && dataOf(clone[1]) != dataOf(clone[0]) {
			t.Error("bytes of the same extent as nodes are not theirs")
		}
		n, ok := clone[0].(*viewed)
		if !ok {
			n = clone[1].(*viewed)
		}
		clone = nil
		var seen []weak.Pointer[[4]int]
		for range 4 {
			seen = append(seen, weak.Make(n.n))
			n = n.next
		}
		runtime.GC()
		for _, number := range seen {
			if number.Value() == nil {
				t.Fatalf("views %d: the GC does not see a pointer", i)
			}
		}
		for start := n.n[0]; n.next.n[0] != start; n = n.next {
			if n.next.n[0] != (n.n[0]+1)%4 {
				t.Fatalf("views %d: wrong node", i)
			}
		}
	}
}

func TestDeepCloneOfUnsafePlainViews(t *testing.T) {
	words := []uint64{1, 2, 3, 4}
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 32)
	c := arena.DeepClone([]any{all[3:30], words[1:3], &words[3], all[27:29]})
	b, w, last := c[0].([]byte), c[1].([]uint64), c[2].(*uint64)
	if &b[5] != (*byte)(unsafe.Pointer(&w[0])) || &b[21] != (*byte)(unsafe.Pointer(last)) || &c[3].([]byte)[0] != &b[24] {
		t.Error("plain views do not overlap as in the source")
	}
	if w[0] != 2 || w[1] != 3 || *last != 4 || dataOf(w)%8 != 0 {
		t.Error("wrong numbers, or not aligned")
	}
}

func TestDeepCloneOfMisalignedViews(t *testing.T) {
	type pair struct{ a, b *int }
	base := make([]*int, 6)
	for i := range base {
		base[i] = pointerTo(i)
	}
	even := unsafe.Slice((*pair)(unsafe.Pointer(&base[0])), 2)
	odd := unsafe.Slice((*pair)(unsafe.Pointer(&base[1])), 2)
	checkClone := func(c []pair, first int) {
		for i, p := range c {
			if n := first + 2*i; *p.a != n || *p.b != n+1 || p.a == base[n] || p.b == base[n+1] {
				t.Errorf("element %d: %d, %d, or not cloned", n, *p.a, *p.b)
			}
		}
	}
	c := arena.DeepClone([][]pair{even, odd})
	checkClone(c[0], 0)
	checkClone(c[1], 1)
	if distance := dataOf(c[1]) - dataOf(c[0]); distance < unsafe.Sizeof(pair{})*2 {
		t.Error("both in one block, where the second has no room")
	}
	c = arena.DeepClone([][]pair{odd, unsafe.Slice(&even[0], 3)}) // one within the other
	checkClone(c[0], 1)
	checkClone(c[1], 0)
}

// A word that one type shows as a pointer and another as a number must not be placed as a number.
func TestDeepCloneOfPointersSeenAsNumbers(t *testing.T) {
	type half struct {
		p *int
		n uintptr
	}
	base := []*int{pointerTo(0), pointerTo(1), pointerTo(2), pointerTo(3), pointerTo(4)}
	halves := unsafe.Slice((*half)(unsafe.Pointer(&base[0])), 2)
	for _, views := range [][]any{{halves, base}, {base, halves}} {
		for _, v := range arena.DeepClone(views) {
			pointers, _ := v.([]*int)
			for i, p := range pointers {
				if *p != i || p == base[i] {
					t.Errorf("pointer %d is not cloned", i)
				}
			}
		}
	}
	type numbers struct {
		all [3]*int
		n   uintptr
	}
	type pointers struct{ _, all [2]*int }
	m := &numbers{}
	p := (*pointers)(unsafe.Pointer(m))
	p.all = [2]*int{base[0], base[1]}
	c := arena.DeepClone([]any{m, p, &p.all[1]})
	m, p = c[0].(*numbers), c[1].(*pointers)
	start := dataOf(m)
	if dataOf(p) == start || dataOf(c[2])-start < unsafe.Sizeof(*m) {
		t.Error("a pointer was placed where the type has a number")
	}
	if *p.all[1] != 1 || p.all[1] == base[1] {
		t.Error("pointer is not cloned")
	}
}
