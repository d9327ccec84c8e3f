package main

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena"
)

// Long-lived data keeps what belongs to a request.

var lastOrder *order

var _ = plant("cache/global", cacheGlobal)

// The last order is kept, for a status page.
//
// want: race, asan, resets, guard, objects
// held by: main.lastOrder
func cacheGlobal() {
	a := newArena()
	lastOrder = arena.New[order](a) // allocated
	a.Reset()                       // reclaimed
	sinkInt = lastOrder.total       // used
}

var ordersByID = map[int]*order{}

var _ = plant("cache/map value", cacheMapValue)

// A cache of orders by number.
//
// want: race, asan, resets, guard, objects
// held by: main.ordersByID
func cacheMapValue() {
	pool := newPool()
	for id := range 3 {
		a := pool.Get()
		o := arena.New[order](a) // allocated
		o.id = id
		if id == 1 {
			ordersByID[id] = o
		}
		pool.Put(a) // reclaimed
	}
	sinkInt = ordersByID[1].id // used
}

var seenNames = map[string]int{}

var _ = plant("cache/map key", cacheMapKey)

// Counting names keeps the key of the first one.
//
// want: resets, guard, objects
// held by: main.seenNames
func cacheMapKey() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error { // reclaimed
		name := a.AllocString("a customer's name") // allocated
		seenNames[name]++
		return nil
	})
	for name := range seenNames {
		sinkInt += len(name)
	}
}

var keysByPoint = map[*point]string{}

var _ = plant("cache/map key, pointer", cachePointerKey)

// Pointers are the keys of a map.
//
// want: race, asan, resets, guard, trap
// held by: main.keysByPoint
func cachePointerKey() {
	a := newArena(arena.WithNoScan())
	keysByPoint[arena.New[point](a)] = "origin" // allocated
	a.Reset()                                   // reclaimed
	for p := range keysByPoint {
		sinkInt = p.x // used
	}
}

type session struct {
	user  string
	last  *order
	cart  []item
	notes [4]string
	any   any
}

var sessions = newSessions("hen", "duck")

func newSessions(users ...string) (list []*session) {
	for _, user := range users {
		list = append(list, &session{user: user})
	}
	return list
}

var _ = plant("cache/field", cacheField)

// A session, which lives long, remembers the last order of a request.
//
// want: race, asan, resets, guard, objects
// held by: main.sessions
func cacheField() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error { // reclaimed
		o := newOrderOf(a, sessions[1])
		o.total = 5
		return nil
	})
	sinkInt = sessions[1].last.total // used
}

func newOrderOf(a *arena.Arena, s *session) *order {
	s.last = arena.New[order](a) // allocated
	return s.last
}

var _ = plant("cache/slice in a field", cacheSliceField)

// The cart is built in the request's arena, and stays in the session.
//
// want: race, asan, resets, guard, trap
// held by: main.sessions
func cacheSliceField() {
	a := newArena()
	sessions[0].cart = arena.MakeSlice[item](a, 0, 8) // allocated
	sessions[0].cart = append(sessions[0].cart, item{1, 1, 100})
	a.Reset()                           // reclaimed
	sinkInt = sessions[0].cart[0].cents // used
}

var _ = plant("cache/array of strings", cacheArray)

// One of several notes is in the arena.
//
// want: race, asan, resets, guard, trap
// held by: main.sessions
func cacheArray() {
	a := newArena(arena.WithName("requests"))
	sessions[0].notes[2] = a.AllocString("leave it at the door") // allocated
	a.Reset()                                                    // reclaimed
	answer(sessions[0].notes[2])                                 // used
}

var _ = plant("cache/interface", cacheInterface)

// An any holds a pointer.
//
// want: race, asan, resets, guard, objects
// held by: main.sessions
func cacheInterface() {
	a := newArena()
	m := a.Mark()
	sessions[0].any = arena.New[customer](a) // allocated
	a.Rewind(m)                              // reclaimed
	sinkInt = sessions[0].any.(*customer).id // used
}

var recentOrders = list.New()

var _ = plant("cache/list", cacheList)

// A list of the most recent orders.
//
// want: race, asan, resets, guard, objects
// held by: main.recentOrders
func cacheList() {
	a := newArena()
	for id := range 10 {
		o := newOrder(a, id) // allocated
		if id == 9 {
			recentOrders.PushFront(o)
		}
	}
	a.Reset()                                        // reclaimed
	sinkInt = recentOrders.Front().Value.(*order).id // used
}

var registry sync.Map

var _ = plant("cache/sync.Map", cacheSyncMap)

// A sync.Map keeps it.
//
// want: race, asan, resets, objects
// held by: main.registry
func cacheSyncMap() {
	s := newShared()
	registry.Store("first", arena.New[order](s.Local())) // allocated
	s.Reset()                                            // reclaimed
	v, _ := registry.Load("first")
	sinkInt = v.(*order).total // used
}

var current atomic.Pointer[order]

var _ = plant("cache/atomic.Pointer", cacheAtomic)

// The current order is published.
//
// want: race, asan, resets, guard, trap
// held by: main.current
func cacheAtomic() {
	a := newArena(arena.WithNoScan())
	current.Store(arena.New[order](a)) // allocated
	a.Reset()                          // reclaimed
	sinkInt = current.Load().id        // used
}

var orderPool = sync.Pool{New: func() any { return &session{} }}

var _ = plant("cache/sync.Pool", cacheSyncPool)

// An object is given back to its sync.Pool with a reference in it. The GC empties
// such a pool within two cycles, unless the object is in use again.
//
// want: race, asan, resets, guard, objects
// held by: main.borrowed
func cacheSyncPool() {
	a := newArena()
	s := orderPool.Get().(*session)
	s.last = arena.New[order](a) // allocated
	orderPool.Put(s)
	a.Reset() // reclaimed
	borrowed = s
	sinkInt = borrowed.last.id // used
}

var borrowed *session

var matrix [][]float64

var _ = plant("cache/slice of slices", cacheMatrix)

// The rows of a matrix are copied, except for one.
//
// want: race, asan, resets, guard, trap
// held by: main.matrix
func cacheMatrix() {
	a := newArena()
	for i := range 4 {
		row := arena.MakeSlice[float64](a, 100, 100) // allocated
		if i != 2 {
			row = arena.Clone(row)
		}
		matrix = append(matrix, row)
	}
	a.Reset()                    // reclaimed
	sinkInt = int(matrix[2][50]) // used
}

var _ = plant("cache/shallow clone", cacheShallow)

// Clone copies the order, but not the customer that it points to.
//
// want: race, asan, resets, guard, objects
// held by: main.lastOrder
func cacheShallow() {
	a := newArena()
	o := newOrder(a, 1)
	o.customer = arena.NewOf(a, customer{id: 7}) // allocated
	lastOrder = arena.Clone(o)
	a.Reset()                       // reclaimed
	sinkInt = lastOrder.customer.id // used
}

var _ = plant("cache/interior pointer", cacheInterior)

// A pointer to a field keeps all of it.
//
// want: race, asan, resets, guard, trap
// held by: main.counter
func cacheInterior() {
	a := newArena()
	p := arena.New[point](a) // allocated
	counter = &p.z
	a.Reset()          // reclaimed
	sinkInt = *counter // used
}

var counter *int

var _ = plant("cache/element", cacheElement)

// So does a pointer to an element of a slice.
//
// want: race, asan, resets, guard, trap
// held by: main.favourite
func cacheElement() {
	a := newArena()
	items := arena.MakeSlice[item](a, 100, 100) // allocated
	favourite = &items[99]
	a.Reset()                 // reclaimed
	sinkInt = favourite.cents // used
}

var favourite *item

var _ = plant("cache/error", cacheError)

// The last error, for a health check, was formatted with the arena.
//
// want: race, asan, resets, guard, trap
// held by: main.lastError
func cacheError() {
	a := newArena()
	lastError = textError(a.Sprintf("no item %d", 3)) // allocated
	a.Reset()                                         // reclaimed
	answer(lastError.Error())                         // used
}

type textError string

func (e textError) Error() string { return string(e) }

var lastError error
