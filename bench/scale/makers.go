package scale

import "github.com/harena-go/arena"

// heap makes everything with new, make and string.
type heap struct{}

func (heap) order(items int) *order       { return &order{items: make([]*item, 0, items)} }
func (heap) customer(roles int) *customer { return &customer{roles: make([]string, 0, roles)} }
func (heap) item(amounts int) *item       { return &item{amounts: make([]int64, amounts)} }
func (heap) text(b []byte) string         { return string(b) }

// inArena makes everything in an arena.
type inArena struct{ a *arena.Arena }

func (m inArena) text(b []byte) string { return m.a.AllocBytesToString(b) }

func (m inArena) order(items int) *order {
	o := arena.New[order](m.a)
	o.items = arena.MakeSlice[*item](m.a, 0, items)
	return o
}

func (m inArena) customer(roles int) *customer {
	c := arena.New[customer](m.a)
	c.roles = arena.MakeSlice[string](m.a, 0, roles)
	return c
}

func (m inArena) item(amounts int) *item {
	t := arena.New[item](m.a)
	t.amounts = arena.MakeSlice[int64](m.a, amounts, amounts)
	return t
}

// A kit is an order whose parts serve one request after the other: what one
// keeps in a sync.Pool. Strings never change, so they can't be used again and
// come from the heap.
type kit struct {
	o     order
	c     customer
	items []*item
	used  int
}

func (k *kit) order(int) *order {
	k.o = order{items: k.o.items[:0]}
	k.used = 0
	return &k.o
}

func (k *kit) customer(int) *customer {
	k.c = customer{roles: k.c.roles[:0]}
	return &k.c
}

func (k *kit) item(amounts int) *item {
	if k.used == len(k.items) {
		k.items = append(k.items, new(item))
	}
	t := k.items[k.used]
	k.used++
	if cap(t.amounts) < amounts {
		t.amounts = make([]int64, amounts)
	}
	*t = item{amounts: t.amounts[:amounts]}
	clear(t.amounts)
	return t
}

func (k *kit) text(b []byte) string { return string(b) }
