package holder_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"
)

// A node is an ordinary struct that may hold the target.
type node struct {
	id   int
	next *node
	body []byte
}

type shape interface{ area() int }

type square struct{ body []byte }

func (s *square) area() int { return len(s.body) }

// The variables that hold the target.
var (
	heldSlice  []byte
	heldStruct struct {
		a, b int
		node node
	}
	heldNode      *node
	heldDeep      *node
	heldNodes     []*node
	heldString    string
	heldAny       any
	heldShape     shape
	heldFunc      func() int
	heldChan      chan []byte
	heldMap       map[string][]byte
	heldKeys      map[*byte]int
	heldBigMap    map[int]*node
	heldUnsafe    unsafe.Pointer
	heldTimer     *time.Timer
	heldPool      sync.Pool
	heldContext   context.Context
	heldFinalized *node
	heldCleanup   *node
	heldArray     [4]*node
)

type contextKey struct{}

// A planting is a way to hold on to the target.
type planting struct {
	name string
	// plant makes something hold the target, and returns a function that undoes it.
	plant func(b []byte) (undo func())
	// want has the required texts of each step except the last, which is the target, separated by semicolons. The last
	// one may be optional, marked by a question mark.
	want []string
}

var plantings = []planting{
	{"slice in a variable", func(b []byte) func() {
		heldSlice = b
		return func() { heldSlice = nil }
	}, []string{"global heldSlice"}},
	{"string of a part", func(b []byte) func() {
		heldString = unsafe.String(&b[100], 10)
		return func() { heldString = "" }
	}, []string{"global heldString"}},
	{"field of a struct in a variable", func(b []byte) func() {
		heldStruct.node.body = b
		return func() { heldStruct.node.body = nil }
	}, []string{"global heldStruct"}},
	{"pointer in unsafe.Pointer", func(b []byte) func() {
		heldUnsafe = unsafe.Pointer(&b[len(b)-1])
		return func() { heldUnsafe = nil }
	}, []string{"global heldUnsafe"}},
	{"struct on the heap", func(b []byte) func() {
		heldNode = &node{body: b}
		return func() { heldNode = nil }
	}, []string{"global heldNode", ".body (offset |offset ;allocated by"}},
	{"three structs deep", func(b []byte) func() {
		heldDeep = &node{next: &node{next: &node{body: b}}}
		return func() { heldDeep = nil }
	}, []string{"global heldDeep", ".next (offset |heap object", ".next (offset |heap object", ".body|heap object"}},
	{"slice element", func(b []byte) func() {
		heldNodes = make([]*node, 100)
		heldNodes[42] = &node{body: b}
		return func() { heldNodes = nil }
	}, []string{"global heldNodes", "[]*holder_test.node [42] (offset |heap object of ", ".body|heap object"}},
	{"array element", func(b []byte) func() {
		heldArray[2] = &node{body: b}
		return func() { heldArray[2] = nil }
	}, []string{"global heldArray", ".body|heap object"}},
	{"map value", func(b []byte) func() {
		heldMap = map[string][]byte{"a": nil, "b": b}
		return func() { heldMap = nil }
	}, []string{"global heldMap", "map entry; value|"}},
	{"map key", func(b []byte) func() {
		heldKeys = map[*byte]int{&b[7]: 1}
		return func() { heldKeys = nil }
	}, []string{"global heldKeys", "map entry; key|"}},
	{"large map", func(b []byte) func() {
		heldBigMap = map[int]*node{}
		for i := range 5000 {
			heldBigMap[i] = &node{id: i}
		}
		heldBigMap[1234].body = b
		return func() { heldBigMap = nil }
	}, []string{"global heldBigMap", "map entry; value|", ".body|heap object"}},
	{"empty interface", func(b []byte) func() {
		heldAny = b
		return func() { heldAny = nil }
	}, []string{"global heldAny", "*[]uint8"}},
	{"interface with methods", func(b []byte) func() {
		heldShape = &square{b}
		return func() { heldShape = nil }
	}, []string{"global heldShape", "*holder_test.square .body (offset 0)"}},
	{"closure", func(b []byte) func() {
		heldFunc = func() int { return len(b) }
		return func() { heldFunc = nil }
	}, []string{"global heldFunc", "closure"}},
	{"buffer of a channel", func(b []byte) func() {
		heldChan = make(chan []byte, 5)
		heldChan <- nil
		heldChan <- b
		return func() { heldChan = nil }
	}, []string{"global heldChan", "channel (chan []uint8) [1]"}},
	{"blocked goroutine", func(b []byte) func() {
		c := make(chan bool)
		go blocked(b, c)
		letWait()
		return func() { c <- true }
	}, []string{"stack of goroutine;[chan receive];holder_test.blocked (plantings_test.go:"}},
	{"blocked goroutine, in a variable whose address is taken", func(b []byte) func() {
		c := make(chan bool)
		go blockedWithAddress(b, c)
		letWait()
		return func() { c <- true }
	}, []string{"stack of goroutine;[chan receive];holder_test.blockedWithAddress (plantings_test.go:"}},
	{"deferred call", func(b []byte) func() {
		c := make(chan bool)
		go deferring(b, c)
		letWait()
		return func() { c <- true }
	}, []string{"deferred call of goroutine;holder_test.deferring.func1", "closure;holder_test.deferring.func1"}},
	{"sender that waits", func(b []byte) func() {
		c := make(chan []byte)
		go func() { c <- b }()
		letWait()
		return func() { <-c }
	}, []string{"stack of goroutine;[chan send];holder_test.init.func", "?closure;holder_test.init.func"}},
	{"timer", func(b []byte) func() {
		heldTimer = time.AfterFunc(time.Hour, func() { clear(b) })
		return func() { heldTimer.Stop(); heldTimer = nil }
	}, []string{"global heldTimer", "timer", "closure"}},
	{"timer that nobody has", func(b []byte) func() {
		t := uintptr(unsafe.Pointer(time.AfterFunc(time.Hour, func() { clear(b) })))
		return func() { (*(**time.Timer)(unsafe.Pointer(&t))).Stop() }
	}, []string{"global", "", ".timers.heap|", ".timer|", "timer", "closure"}},
	{"value of a context", func(b []byte) func() {
		heldContext = context.WithValue(context.Background(), contextKey{}, &node{body: b})
		return func() { heldContext = nil }
	}, []string{"global heldContext", "*context.valueCtx .val", "*holder_test.node .body (offset |"}},
	{"finalizer's closure", func(b []byte) func() {
		heldFinalized = new(node)
		runtime.SetFinalizer(heldFinalized, func(*node) { clear(b) })
		return func() { runtime.SetFinalizer(heldFinalized, nil) }
	}, []string{"finalizer;init.func", "closure;init.func"}},
	{"object whose finalizer waits for another", func(b []byte) func() {
		c := make(chan bool)
		runtime.SetFinalizer(&node{id: 1}, func(*node) { c <- true; <-c })
		for waiting := true; waiting; {
			runtime.GC()
			select {
			case <-c:
				waiting = false
			case <-time.After(10 * time.Millisecond):
			}
		}
		runtime.SetFinalizer(&node{body: b}, func(*node) {})
		return func() { close(c) }
	}, []string{"finalizer;init.func", "heap object of;allocated by"}},
	{"value of a panic", func(b []byte) func() {
		c := make(chan bool)
		go panicking(&node{body: b}, c)
		<-c
		return func() { c <- true }
	}, []string{"goroutine", ""}},
	{"argument of a cleanup", func(b []byte) func() {
		heldCleanup = new(node)
		c := runtime.AddCleanup(heldCleanup, func(n *node) { clear(n.body) }, &node{body: b})
		return func() { c.Stop() }
	}, []string{"something that the heap dump doesn't show", "", "heap object;offset "}},
	{"sync.Pool", func(b []byte) func() {
		percent := debug.SetGCPercent(-1) // a pool survives one cycle, which is Find's: the last planting
		for range 20 {                    // with the race detector the pool forgets some
			heldPool.Put(&node{body: b})
		}
		return func() { heldPool = sync.Pool{}; debug.SetGCPercent(percent) }
	}, []string{"global heldPool", "", "*holder_test.node .body (offset |"}},
}

// alone are plantings that would change the paths of others: while a goroutine runs, the runtime's own
// variables are on its stack.
var alone = []planting{
	{"running goroutine", func(b []byte) func() {
		started, stop, done := make(chan bool), make(chan bool), make(chan bool)
		go running(b, started, stop, done)
		<-started
		return func() { close(stop); <-done }
	}, []string{"stack of goroutine;holder_test.running (plantings_test.go:"}},
}

//go:noinline
func blocked(b []byte, c chan bool) {
	<-c
	clear(b)
}

//go:noinline
func blockedWithAddress(b []byte, c chan bool) {
	var local [3]node
	fill(&local, b)
	<-c
	fill(&local, nil)
}

//go:noinline
func fill(local *[3]node, b []byte) { local[1].body = b }

//go:noinline
func running(b []byte, started, stop, done chan bool) {
	close(started)
	n := 0
	for stopped := false; !stopped; n++ {
		select {
		case <-stop:
			stopped = true
		default:
		}
	}
	b[0] = byte(n)
	close(done)
}

//go:noinline
func deferring(b []byte, c chan bool) {
	for range 2 {
		defer func() { clear(b) }()
	}
	<-c
}

//go:noinline
func panicking(n *node, c chan bool) {
	defer func() { recover() }()
	defer func() { c <- true; <-c }()
	panic(n)
}

// letWait gives new goroutines time to reach the place where they wait.
func letWait() {
	for range 100 {
		runtime.Gosched()
	}
	time.Sleep(time.Millisecond)
}
