package block

import (
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// TestClearWhileMarking: an object loaded from a block before its erasure stays alive, though the GC is marking and has
// seen the stack already. A word that isn't a pointer is taken for none, even if it looks like one.
func TestClearWhileMarking(t *testing.T) {
	type object struct{ n, m [8]int }
	type value struct {
		looks uintptr // an address that the GC would complain about
		p     *object
		rest  [2]uintptr
	}
	huge := make([]byte, 8<<20)
	looks := uintptr(unsafe.Pointer(unsafe.SliceData(huge))) + 4<<20 // in a span that is freed
	huge = nil
	runtime.GC()
	runtime.GC()
	const blocks, each = 300, 8
	var k Typed
	k.Init(reflect.TypeFor[value]())
	size := each * unsafe.Sizeof(value{})
	for round := range 8 {
		var mem [blocks]unsafe.Pointer
		for b := range mem {
			mem[b] = k.Make(each)
			for i, v := range unsafe.Slice((*value)(asan.Allow(mem[b], size)), each) {
				v = value{looks: looks, p: new(object), rest: [2]uintptr{looks, looks}}
				v.p.n[0], v.p.m[7] = b*each+i, round
				unsafe.Slice((*value)(mem[b]), each)[i] = v
			}
		}
		var held [blocks][each]*object // on the stack
		var done atomic.Bool
		go func() {
			runtime.GC()
			done.Store(true)
		}()
		for b := range mem {
			if b%16 == 0 {
				runtime.Gosched()
			}
			for i, v := range unsafe.Slice((*value)(mem[b]), each) {
				held[b][i] = v.p
			}
			k.Clear(mem[b], size)
		}
		for !done.Load() {
			runtime.Gosched()
		}
		for range blocks * each { // overwrites wrongly freed memory
			garbage = &object{n: [8]int{-1, -1, -1, -1, -1, -1, -1, -1}}
		}
		for b := range held {
			for i, p := range held[b] {
				if p.n[0] != b*each+i || p.m[7] != round {
					t.Fatalf("round %d: an object is %v", round, *p)
				}
			}
		}
	}
}

var garbage any // escapes
