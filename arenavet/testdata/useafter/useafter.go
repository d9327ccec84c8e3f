// Package useafter has uses of dead memory, each with its look-alike.
package useafter

import (
	"fmt"
	"strings"

	"github.com/harena-go/arena"
)

type node struct {
	name string
	n    int
	next *node
	kids []*node
}

var pool = arena.NewPool(arena.WithReuse())

func afterReset() {
	a := arena.NewArena()
	x := arena.New[node](a)
	x.n = 1
	a.Reset()
	x.n = 2 // want `arena memory is written to after Reset in line 24`
}

func OKBeforeReset() {
	a := arena.NewArena()
	x := arena.New[node](a)
	x.n = 1
	a.Reset()
	x = arena.New[node](a)
	x.n = 2
}

func afterPut() int {
	a := pool.Get()
	x := arena.NewOf(a, 7)
	pool.Put(a)
	return *x // want `arena memory is used after Pool.Put`
}

func OKValueCopied() int {
	a := pool.Get()
	x := arena.NewOf(a, 7)
	n := *x
	pool.Put(a)
	return n
}

func afterRewind(a *arena.Arena) {
	old := a.AllocString("old")
	m := a.Mark()
	tmp := a.AllocString("tmp")
	a.Rewind(m)
	fmt.Println(old)
	fmt.Println(tmp) // want `arena memory is passed on after Rewind`
}

func OKBeforeMark(a *arena.Arena) {
	s := arena.MakeSlice[int](a, 3, 3)
	m := a.Mark()
	t := arena.MakeSlice[int](a, 3, 3)
	t[0] = 1
	a.Rewind(m)
	s[0] = t0(s)
}

func t0(s []int) int { return s[0] }

func afterFree(a *arena.Arena) string {
	a.Free()
	return a.AllocString("x") // want `AllocString: the arena is used after Free`
}

func OKValuesAfterFree(a *arena.Arena) string {
	s := a.AllocString("x")
	a.Free()
	return s + "!"
}

func scrubbed() string {
	a := arena.NewArena(arena.WithName("keys"), arena.WithScrub())
	s := a.AllocString("secret")
	a.Free()
	return s + "!" // want `arena memory is used after Free`
}

func loop(lines []string) {
	a := arena.NewArena()
	var last *node
	for _, l := range lines {
		n := arena.New[node](a)
		n.name = a.AllocString(l)
		if last != nil {
			fmt.Println(last.n) // want `arena memory is used after Reset`
		}
		last = n
		a.Reset()
	}
}

func OKLoop(lines []string) {
	a := arena.NewArena()
	var buf []string
	for _, l := range lines {
		buf = arena.Append(a, nil, l)
		fmt.Println(buf)
		a.Reset()
	}
}

func branch(a *arena.Arena, big bool) {
	s := a.AllocBytes(10)
	if big {
		a.Reset()
	}
	s[0] = 1 // want `arena memory is written to after Reset`
}

func OKBranch(a *arena.Arena, big bool) {
	s := a.AllocBytes(10)
	if big {
		a.Reset()
		s = a.AllocBytes(10)
	}
	s[0] = 1
}

func OKSameCondition(a *arena.Arena, big bool) {
	s := a.AllocBytes(10)
	if big {
		a.Reset()
	}
	fmt.Println("...")
	if !big {
		s[0] = 1
	}
}

func OKReturnInBranch(a *arena.Arena, big bool) {
	s := a.AllocBytes(10)
	if big {
		a.Reset()
		return
	}
	s[0] = 1
}

func OKCleared(a *arena.Arena, big bool) {
	s := a.AllocBytes(10)
	if big {
		a.Reset()
		s = nil
	}
	if s != nil {
		s[0] = 1
	}
}

func field() {
	a := arena.NewArena()
	var x node
	x.name = a.AllocString("x")
	x.n = 1
	a.Reset()
	fmt.Println(x.n)
	fmt.Println(x.name) // want `arena memory is passed on after Reset`
}

func OKField() {
	a := arena.NewArena()
	var x node
	x.name = a.AllocString("x")
	a.Reset()
	x.name = "y"
	fmt.Println(x.name, x)
}

func structCopy() {
	a := arena.NewArena()
	var x node
	x.name = a.AllocString("x")
	y := x
	a.Reset()
	fmt.Println(y) // want `arena memory is passed on after Reset`
}

func OKStructCopy() {
	a := arena.NewArena()
	x := arena.New[node](a)
	x.n = 3
	y := *x
	a.Reset()
	fmt.Println(y)
}

func deep() {
	a := arena.NewArena()
	x := arena.New[node](a)
	y := new(node)
	y.next = x
	a.Reset()
	fmt.Println(y.next.n) // want `arena memory is used after Reset`
}

func sliceOf() {
	a := arena.NewArena()
	s := arena.MakeSlice[byte](a, 10, 20)
	t := s[2:5]
	a.Reset()
	t[0] = 1 // want `arena memory is written to after Reset`
}

func OKLen() int {
	a := arena.NewArena()
	s := arena.MakeSlice[byte](a, 10, 20)
	a.Reset()
	return len(s)
}

func appended() {
	a := arena.NewArena()
	var list []*node
	for range 3 {
		list = append(list, arena.New[node](a))
	}
	a.Reset()
	for _, n := range list {
		n.n++ // want `arena memory is used after Reset`
	}
}

func OKAppendedBytes() string {
	a := arena.NewArena()
	s := a.AllocBytes(3)
	t := append([]byte(nil), s...)
	a.Reset()
	return string(t)
}

func mapped() {
	a := arena.NewArena()
	m := map[string]*node{}
	m["x"] = arena.New[node](a)
	a.Reset()
	m["x"].n = 1 // want `arena memory is written to after Reset`
}

func mapKeys() {
	a := arena.NewArena()
	m := map[string]int{}
	m[a.AllocString("x")]++
	a.Reset()
	for k := range m {
		fmt.Println(k) // want `arena memory is passed on after Reset`
	}
}

func OKMapCleared() {
	a := arena.NewArena()
	m := map[string]*node{}
	m["x"] = arena.New[node](a)
	clear(m)
	a.Reset()
	m["x"] = new(node)
	m["x"].n = 1
}

func converted() string {
	a := arena.NewArena()
	b := a.AllocBytes(3)
	a.Reset()
	return string(b) // want `arena memory is used after Reset`
}

func OKConverted() string {
	a := arena.NewArena()
	b := a.AllocBytes(3)
	s := string(b)
	a.Reset()
	return s
}

func OKCloned() (string, *node) {
	a := arena.NewArena()
	s := arena.Clone(a.AllocString("x"))
	t := strings.Clone(a.AllocString("x"))
	n := arena.DeepClone(arena.New[node](a))
	a.Reset()
	return s + t, n
}

func shallow() string {
	a := arena.NewArena()
	n := arena.New[node](a)
	n.name = a.AllocString("x")
	c := arena.Clone(n)
	a.Reset()
	c.n++
	return c.name + "!" // want `arena memory is used after Reset`
}

func trimmed() bool {
	a := arena.NewArena()
	s := strings.TrimSpace(a.AllocString(" x "))
	a.Reset()
	return s == "x" // want `arena memory is used after Reset`
}

func split() string {
	a := arena.NewArena()
	parts := strings.Split(a.AllocString("a b"), " ")
	a.Reset()
	return parts[0] + "!" // want `arena memory is used after Reset`
}

func OKBuilder() string {
	a := arena.NewArena()
	var b strings.Builder
	b.WriteString(a.AllocString("x"))
	a.Reset()
	return b.String()
}

func children() {
	a := arena.NewArena()
	c := a.Child()
	x := arena.New[node](c)
	a.Reset()
	x.n = 1           // want `arena memory is written to after Reset`
	arena.New[int](c) // want `New: the arena is used after Reset`
}

func OKParent() {
	a := arena.NewArena()
	x := arena.New[node](a)
	c := a.Child()
	arena.New[node](c)
	c.Reset()
	x.n = 1
	c.Free()
	x.n = 2
}

func locals() {
	s := arena.NewShared()
	a := s.Local()
	x := arena.New[node](a)
	s.Reset()
	x.n = 1            // want `arena memory is written to after Reset`
	a.AllocString("x") // want `AllocString: the arena is used after Reset`
}

func OKLocals() {
	s := arena.NewShared()
	defer s.Free()
	for range 3 {
		a := s.Local()
		x := arena.New[node](a)
		x.n = 1
		s.Reset()
	}
}

func typed() {
	a := arena.NewArena()
	t := arena.For[node](a)
	x := t.New()
	a.Reset()
	y := t.New()
	y.n = 1
	x.n = 1 // want `arena memory is written to after Reset`
}

func twice() {
	a := pool.Get()
	defer pool.Put(a) // want `Put: the arena is used after Pool.Put`
	arena.New[node](a)
	pool.Put(a)
}

func putOnError(bad bool) {
	a := pool.Get()
	if bad {
		pool.Put(a)
	}
	arena.New[node](a) // want `New: the arena is used after Pool.Put`
	pool.Put(a)        // want `Put: the arena is used after Pool.Put`
}

func OKPutAndReturn(bad bool) {
	a := pool.Get()
	if bad {
		pool.Put(a)
		return
	}
	arena.New[node](a)
	pool.Put(a)
}

func OKNewOneEachTime() {
	for range 3 {
		a := pool.Get()
		x := arena.New[node](a)
		x.n++
		pool.Put(a)
	}
}

func OKTwoArenas() {
	a, b := arena.NewArena(), arena.NewArena()
	x := arena.New[node](a)
	y := arena.New[node](b)
	b.Reset()
	x.n = 1
	y = x
	y.n = 2
}

func OKEitherArena(c bool) {
	a := arena.NewArena()
	b := a
	if c {
		b = arena.NewArena()
	}
	x := arena.New[node](b)
	a.UsedBytes()
	x.n = 1
	b.Reset()
}

func eitherArena(c bool) {
	a := arena.NewArena()
	if c {
		a = arena.NewArena(arena.WithLimit(100))
	}
	x := arena.New[node](a)
	a.Reset()
	x.n = 1 // want `arena memory is written to after Reset`
}

func goTo(a *arena.Arena) {
	i := 0
	s := arena.MakeSlice[int](a, 5, 5)
again:
	s[i]++ // want `arena memory is used after Reset`
	i++
	if i < 5 {
		a.Reset()
		goto again
	}
}

func switched(a *arena.Arena, k int) {
	s := arena.MakeSlice[int](a, 5, 5)
	switch k {
	case 1:
		a.Reset()
		fallthrough
	case 2:
		s[0] = 1 // want `arena memory is written to after Reset`
	}
}

func OKSwitched(a *arena.Arena, k int) {
	s := arena.MakeSlice[int](a, 5, 5)
	switch k {
	case 1:
		a.Reset()
	case 2:
		s[0] = 1
	}
}

func zero() {
	var a arena.Arena
	x := arena.New[node](&a)
	a.Reset()
	x.n = 1 // want `arena memory is written to after Reset`
}

func returned(a *arena.Arena) *node {
	x := arena.New[node](a)
	a.Reset()
	return x // want `arena memory is returned after Reset`
}

func stored(a *arena.Arena) any {
	x := any(arena.New[node](a))
	a.Reset()
	n, ok := x.(*node)
	if ok {
		return n.n // want `arena memory is used after Reset`
	}
	return nil
}

func ignored(a *arena.Arena) {
	x := arena.New[node](a)
	a.Reset()
	x.n = 1 //arenavet:ignore shows what happens
}

func toArena(a *arena.Arena) {
	list := arena.Append(a, nil, 1, 2, 3)
	a.Reset()
	list = arena.Append(a, list[:0], 4) // want `arena memory is appended to after Reset`
	_ = list
}

func OKToArena(a *arena.Arena) {
	list := arena.Append(a, nil, 1, 2, 3)
	a.Reset()
	list = arena.Append(a, []int(nil), 4)
	list[0]++
}

var defaults = [2]arena.Option{arena.WithScrub(), arena.WithName("x")}

// SSA doesn't list the uses of a package-level variable.
func OKGlobalOptions() string {
	a := arena.NewArena(defaults[:]...)
	s := a.AllocString("x")
	return s
}

// In each turn the variables have changed places.
func OKInTurn(in []string) (n int) {
	now, next := arena.NewArena(), arena.NewArena()
	last := ""
	for _, s := range in {
		next.Reset()
		if last == s {
			n++
		}
		last = next.AllocString(s)
		now, next = next, now
	}
	return n
}

type section struct{ lines []string }

// After a Reset nobody reads the contents of older values.
func OKEmitted(lines []string, emit func(*section)) {
	a := arena.NewArena()
	cur := arena.New[section](a)
	for _, l := range lines {
		if l == "" {
			emit(cur)
			a.Reset()
			cur = arena.New[section](a)
			continue
		}
		cur.lines = arena.Append(a, cur.lines, a.AllocString(l))
	}
}

func OKFlushed(lines []string, emit func(int)) {
	a := arena.NewArena()
	cur := arena.New[section](a)
	flush := func() {
		emit(len(cur.lines))
		a.Reset()
		cur = arena.New[section](a)
	}
	for _, l := range lines {
		if l == "" {
			flush()
			continue
		}
		cur.lines = arena.Append(a, cur.lines, a.AllocString(l))
	}
	flush()
}

func emitted(lines []string, emit func(*section)) {
	a := arena.NewArena()
	cur := arena.New[section](a)
	for _, l := range lines {
		if l == "" {
			emit(cur) // want `arena memory is passed on after Reset`
			a.Reset()
			continue
		}
		cur.lines = arena.Append(a, cur.lines, a.AllocString(l))
	}
}
