package planted

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"unique"
)

// What lives on.

func replaced(w *World) {
	w.last = &Item{Count: w.N} // keep World.last
}

func replacedGlobal(w *World) {
	global = &Item{Count: w.N} // keep global global
}

func replacedBuffer(w *World) {
	w.lastBuf = make([]byte, 30+w.N%10) // keep World.lastBuf
}

func collected(w *World) {
	w.items = append(w.items, &Item{Count: w.N}) // keep World.items
}

func inMap(w *World) {
	w.byName[fmt.Sprint(w.N)] = &Item{Count: w.N} // keep map World.byName
}

func inGlobalMap(w *World) {
	registry[w.N] = &Item{Count: w.N} // keep map global registry
}

func inSet(w *World) {
	w.set[&Item{Count: w.N}] = true // keep map World.set
}

func rarely(w *World) {
	name := "item " + strings.Repeat("x", 20)[w.N%10:] + "!" // clone World.texts
	if w.N%40 == 0 {
		w.texts = append(w.texts, name) // any
	}
	useString(name)
}

func interner(w *World) {
	b := []byte("name 000000 of all names")
	for i, n := 10, w.N/20; n > 0; i, n = i-1, n/10 {
		b[i] += byte(n % 10)
	}
	s := string(b) // clone interned
	if _, ok := interned[s]; !ok {
		interned[s] = s
	}
	useString(s)
}

func queued(w *World) {
	w.queue <- &Item{Count: w.N} // keep channel World.queue
}

func goroutine(w *World) {
	item := &Item{Count: w.N} // keep goroutine
	go func() {               // any
		<-w.done
		use(item)
	}()
}

func captured(w *World) {
	item := &Item{Count: w.N}                                   // keep closure
	w.funcs = append(w.funcs, func() int { return item.Count }) // any
}

func timer(w *World) {
	item := &Item{Count: w.N}                                                    // keep
	w.timers = append(w.timers, time.AfterFunc(time.Hour, func() { use(item) })) // any
}

type contextKey struct{}

func inContext(w *World) {
	w.ctx = context.WithValue(context.Background(), contextKey{}, &Item{Count: w.N}) // keep World.ctx
}

func keptError(w *World) {
	w.err = &fault{w.N, "failed"} // keep World.err
}

type fault struct {
	n    int
	text string
}

func (f *fault) Error() string { return f.text }

func wrappedError(w *World) {
	w.err = fmt.Errorf("unit %d: %w", w.N, ErrPlanted) // keep World.err
}

func joinedError(w *World) {
	w.err = errors.Join(ErrPlanted, &fault{w.N, "joined"}) // keep World.err
}

func inInterface(w *World) {
	w.any = &Item{Count: w.N} // keep World.any
}

func boxKept(w *World) {
	w.box = Plain{A: w.N} // keep World.box
}

func inRing(w *World) {
	w.ring[w.N%8] = &Item{Count: w.N} // any World.ring
}

func uniqued(w *World) {
	s := "handle " + strings.Repeat("y", 15)[w.N%3:] + "!" // any
	w.handles = append(w.handles, unique.Make(s))          // any
}

func nested(w *World) {
	w.nested.deep.item = &Item{Count: w.N} // keep Inner.deep.item
}

func substring(w *World) {
	line := strings.Repeat("k", 10) + " = value of it" // keep journal
	journal = append(journal, line[:3])                // any
}

func linked(w *World) {
	w.head = &Item{Next: w.head} // keep World.head
}

func inSyncMap(w *World) {
	w.sync.Store(w.N, &Item{Count: w.N}) // keep sync
}

func loggedBytes(w *World) {
	w.log = append(w.log, []byte("an entry of the log, "[w.N%2:])) // keep World.log
}

func indexed(w *World) {
	w.index["all"] = append(w.index["all"], w.N) // any
}

func row(w *World) {
	w.matrix = append(w.matrix, make([]int, 5+w.N%2)) // keep World.matrix
}

func grown(w *World) {
	w.values = append(w.values, Plain{}) // any World.values
}

func reused(w *World) {
	w.lastBuf = w.lastBuf[:0]
	for range 10 {
		w.lastBuf = append(w.lastBuf, "some text"...) // any World.lastBuf
	}
}

func firstOnly(w *World) {
	w.once.Do(func() { w.last = &Item{} }) // any World.last
	use(&Item{Count: w.N})                 // move &Item{}
}

var (
	earliest  *Item
	firstOnce sync.Once
)

func firstOfAll(w *World) {
	firstOnce.Do(func() { earliest = &Item{Count: w.N} }) // any earliest
	use(earliest)
}

func pointerToField(w *World) {
	p := &struct { // keep World.any
		a [4]int
		b Item
	}{}
	w.any = &p.b
}

func byCaller(w *World) {
	use(shared(w.N))
	w.last = shared(w.N)
}

func shared(n int) *Item {
	return &Item{Count: n} // both World.last
}

func mixed(w *World) {
	a, b := &Item{Count: w.N}, &Plain{A: w.N} // any
	use(b)
	w.items = append(w.items, a) // any
}

func finalized(w *World) {
	item := &Item{Count: w.N} // any
	runtime.SetFinalizer(item, func(*Item) {})
}

func cleanup(w *World) {
	kept := &Item{Count: w.N}                             // keep
	runtime.AddCleanup(w, func(p *Item) { use(p) }, kept) // any
}

func methodValue(w *World) {
	item := &Item{Count: w.N}             // keep Item
	w.funcs = append(w.funcs, item.count) // any
}

func (i *Item) count() int { return i.Count }

func delayed(w *World) {
	w.ring[0], w.ring[1] = &Item{Count: w.N}, w.ring[0] // any World.ring
}

func tinyNeighbour(w *World) {
	p := new(int32) // move new(int32)
	*p = int32(w.N)
	q := new(int32)                  // any
	w.numbers = append(w.numbers, q) // any
	use(p)
}

func tinyRarely(w *World) {
	p := new(int32) // clone World.numbers
	*p = int32(w.N)
	if w.N%41 == 0 {
		w.numbers = append(w.numbers, p) // any
	}
	q := new(int32)                  // any
	w.numbers = append(w.numbers, q) // any
	use(p)
}

func besideMarker(w *World) {
	w.marked.item = &Item{Count: w.N} // keep Marked.item
}

func pooledStack(w *World) {
	s := scanners.Get().(*Scanner)
	s.stack = append(s.stack[:0:w.N%2*cap(s.stack)], w.N, 1, 2) // any pooled
	scanners.Put(s)
}
