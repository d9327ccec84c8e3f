package planted

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// What dies with its unit.

func pointer(w *World) {
	use(&Item{Count: w.N}) // move &Item{}
}

func newed(w *World) {
	p := new(Plain) // move new(Plain)
	p.A = w.N
	use(p)
}

func made(w *World) {
	useBytes(make([]byte, 20+w.N%30)) // move make([]byte)
}

func madeConstant(w *World) {
	useBytes(make([]byte, 40)) // move make([]byte)
}

func appended(w *World) {
	var s []*World
	for range 10 {
		s = append(s, w) // move append([]*World)
	}
	use(&s[0])
}

func fromBytes(w *World) {
	b := []byte("a text of more than a few bytes")
	b[0] = byte(w.N)
	useString(string(b)) // move string(b)
}

func toBytes(w *World) {
	s := "a text of more than a few bytes that does not fit"
	useBytes([]byte(s[w.N%5:])) // move []byte(s[w.N % 5:])
}

func concat(w *World) {
	s := "item number and more of it"
	useString(s[w.N%3:] + " and more") // move s[w.N % 3:] + " and more"
}

func concatAssigned(w *World) {
	s := "item number and more of it"
	s += s[w.N%4:] // move s += s[w.N % 4:]
	useString(s)
}

func variable(w *World) {
	var v Plain // move variable v Plain
	v.A = w.N
	use(&v)
}

func sliceLiteral(w *World) {
	s := []*World{w, w, w} // move []*World{}
	use(&s[0])
}

func chain(w *World) {
	var head *Item
	for range 5 {
		head = &Item{Next: head} // move &Item{}
	}
	use(head)
}

func returned(w *World) {
	use(build(w.N))
}

func build(n int) *Item { return &Item{Count: n} } // move &Item{}

func replacedInUnit(w *World) {
	w.last = &Item{Count: w.N} // move &Item{}
	w.last = nil
}

func deleted(w *World) {
	w.byName["key"] = &Item{Count: w.N} // move &Item{}
	delete(w.byName, "key")
}

func received(w *World) {
	w.queue <- &Item{} // move &Item{}
	<-w.queue
}

func joined(w *World) {
	var done sync.WaitGroup // move variable done sync.WaitGroup
	item := &Item{}         // move &Item{}
	done.Add(1)
	go func() { // leave
		item.Count++
		done.Done()
	}()
	done.Wait()
}

func closure(w *World) {
	n := w.N
	use(func() int { return n }) // leave func literal
}

func boxed(w *World) {
	use(w.N + 1000) // move w.N + 1000 as any
}

func channel(w *World) {
	use(make(chan int, 4)) // leave make(chan int)
}

func mapped(w *World) {
	m := make(map[int]*World) // helper collections.Map
	for i := range 20 {
		m[i] = w // helper collections.Map
	}
	use(m)
}

func fields(w *World) {
	use(&strings.Fields("some words in a line")[0]) // helper strings.FieldsSeq
}

func split(w *World) {
	use(&strings.Split("some,words,in,a,line", ",")[0]) // helper strings.SplitSeq
}

func printed(w *World) {
	useString(fmt.Sprintf("item %d of many", w.N)) // helper Arena.Sprintf
}

func itoa(w *World) {
	useString(strconv.Itoa(100000 + w.N)) // helper strconv.AppendInt
}

func builder(w *World) {
	var b strings.Builder // any
	for range 5 {
		b.WriteString("some more text") // helper collections.Buffer
	}
	useString(b.String())
}

func buffer(w *World) {
	var b bytes.Buffer                            // any
	b.WriteString(strings.Repeat("x", 100+w.N%9)) // helper collections.Buffer
	useBytes(b.Bytes())
}

func decoded(w *World) {
	var i Item                                           // move variable i Item
	json.Unmarshal([]byte(`{"Name":"x","Count":1}`), &i) // any
}

func cloned(w *World) {
	useBytes(slices.Clone(w.lastBytes())) // helper arena.CopySlice
}

func (w *World) lastBytes() []byte {
	if w.lastBuf == nil {
		w.lastBuf = make([]byte, 30) // any
	}
	return w.lastBuf
}

func mapsCloned(w *World) {
	w.names["x"] = 1
	use(maps.Clone(w.names)) // helper collections.Map
}

func listed(w *World) {
	l := list.New() // helper collections.List
	l.PushBack(w)   // helper collections.List
	use(l)
}

func sorted(w *World) {
	s := []int{3, 1, 2, w.N}                                  // move []int{}
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) // any
	use(&s[0])
}

func derived(w *World) {
	ctx, cancel := context.WithCancel(w.ctx) // helper
	cancel()
	use(ctx)
}

func panics(w *World) {
	defer func() { recover() }()
	panic(&Item{Count: w.N}) // move &Item{}
}

func recursive(w *World) { deep(w, 20) }

func deep(w *World, n int) {
	use(&Item{Count: n}) // move &Item{}
	if n > 0 {
		deep(w, n-1)
	}
}

func passed(w *World) {
	use(gather(w.ring[0], w.ring[1], w.ring[2])) // move arguments of gather
}

func gather(items ...*Item) **Item { return &items[0] }

func secondInLine(w *World) {
	l, item := &Large{Name: w.name}, &Item{Count: w.N} // move &Item{}
	item.Count += len(l.Name)
	use(item)
}

func fromMethod(w *World) {
	v := w.plain() // move variable v Plain
	use(&v)
}

func (w *World) plain() Plain { return Plain{A: w.N} }

func asserted(w *World) {
	for i := range 400 {
		use(&Item{Name: w.shown[i%len(w.shown)].(fmt.Stringer).String()}) // move &Item{}
	}
}

func tinyNeighbours(w *World) {
	for range 4 {
		p := new(int32) // move new(int32)
		*p = int32(w.N)
		use(p)
	}
}

func pooledValue(w *World) {
	b, _ := w.pool.Get().(*[]byte)
	if b == nil {
		v := make([]byte, 100) // any
		b = &v
	}
	use(&Item{}) // move &Item{}
	w.pool.Put(b)
}
