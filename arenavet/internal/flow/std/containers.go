package std

// This file holds what containers of the standard library do: they keep what
// they are given, as if in one field of their own. A method may be in several of
// the tables: Store lets go of one thing and keeps another.

// Keepers are methods that keep an argument in their receiver, by number.
var Keepers = map[string]int{
	"(*container/list.List).PushFront":     1,
	"(*container/list.List).PushBack":      1,
	"(*container/list.List).InsertBefore":  1,
	"(*container/list.List).InsertAfter":   1,
	"container/heap.Push":                  1,
	"(*sync.Map).Store":                    2,
	"(*sync.Map).LoadOrStore":              2,
	"(*sync.Map).Swap":                     2,
	"(*sync.Pool).Put":                     1,
	"(*sync/atomic.Pointer[T]).Store":      1,
	"(*sync/atomic.Pointer[T]).Swap":       1,
	"(*sync/atomic.Value).Store":           1,
	"(*sync/atomic.Value).Swap":            1,
	"(*bytes.Reader).Reset":                1,
	"(*strings.Reader).Reset":              1,
	"(*container/list.List).PushBackList":  1,
	"(*container/list.List).PushFrontList": 1,
}

// Emptiers let go of what their receiver keeps.
var Emptiers = map[string]bool{
	"(*container/list.List).Init":     true,
	"(*container/list.List).Remove":   true,
	"(*sync.Map).Delete":              true,
	"(*sync.Map).Clear":               true,
	"(*sync/atomic.Pointer[T]).Store": true,
	"(*sync/atomic.Pointer[T]).Swap":  true,
	"(*sync/atomic.Value).Store":      true,
	"(*sync/atomic.Value).Swap":       true,
}

// Yielders return what their receiver keeps.
var Yielders = map[string]bool{
	"(*sync.Map).Load":               true,
	"(*sync.Pool).Get":               true,
	"(*sync/atomic.Pointer[T]).Load": true,
	"(*sync/atomic.Value).Load":      true,
}
