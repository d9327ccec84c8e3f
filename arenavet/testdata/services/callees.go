package services

import (
	"fmt"

	"github.com/harena-go/arena"
)

// What is in a field of what a function is given is used by it.

type shownItem struct {
	Name string
	N    int
}
type shower struct {
	p    *shownItem
	name string
	list []*shownItem
	in   struct{ q *shownItem }
	next *shower
}

func showerShow(o *shower)     { fmt.Println(o.p.N) }
func showerShowname(o *shower) { fmt.Println(o.name) }
func (o *shower) method()      { fmt.Println(o.p.Name) }
func (o shower) value()        { fmt.Println(o.p.N) }
func showerDeep(o *shower)     { showerShow(o) }
func showerElems(o *shower) (n int) {
	for _, x := range o.list {
		n += x.N
	}
	return n
}
func showerInner(o *shower) int     { return o.in.q.N }
func showerNextof(o *shower) string { return o.next.name + "x" }

func BadCallee1(pool *arena.Pool) {
	a := pool.Get()
	o := &shower{p: arena.New[shownItem](a)}
	pool.Put(a)
	showerShow(o)
}
func BadCallee2(pool *arena.Pool) {
	a := pool.Get()
	o := &shower{name: a.AllocString("x")}
	pool.Put(a)
	showerShowname(o)
}
func BadCallee3(pool *arena.Pool) {
	a := pool.Get()
	o := &shower{p: arena.New[shownItem](a)}
	pool.Put(a)
	o.method()
}
func BadCallee4(pool *arena.Pool) {
	a := pool.Get()
	o := shower{p: arena.New[shownItem](a)}
	pool.Put(a)
	o.value()
}
func BadCallee5(pool *arena.Pool) {
	a := pool.Get()
	o := &shower{p: arena.New[shownItem](a)}
	pool.Put(a)
	showerDeep(o)
}
func BadCallee6(pool *arena.Pool) int {
	a := pool.Get()
	o := &shower{}
	o.list = append(o.list, arena.New[shownItem](a))
	pool.Put(a)
	return showerElems(o)
}
func BadCallee7(pool *arena.Pool) int {
	a := pool.Get()
	o := &shower{}
	o.in.q = arena.New[shownItem](a)
	pool.Put(a)
	return showerInner(o)
}
func BadCallee8(pool *arena.Pool) string {
	a := pool.Get()
	o := &shower{next: &shower{name: a.AllocString("x")}}
	pool.Put(a)
	return showerNextof(o)
}
func showerRenew(o *shower) {
	o.p = &shownItem{}
	o.p.N++
}
func showerRenewmaybe(o *shower) {
	if o.name == "" {
		o.p = &shownItem{}
	}
	o.p.N++
}
func showerMaybe(o *shower) {
	if o.name != "" {
		o.p.N++
	}
}
func OKCalleeSets(pool *arena.Pool) {
	a := pool.Get()
	o := &shower{p: arena.New[shownItem](a)}
	pool.Put(a)
	showerRenew(o)
	showerRenewmaybe(o)
	showerMaybe(o)
}
