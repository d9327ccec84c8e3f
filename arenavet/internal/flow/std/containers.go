package std

// This file holds what containers of the standard library do: they keep what
// they are given, as if in one field of their own. A method may be in several of
// the tables: Store releases one thing and keeps another.

// Keepers are methods that keep arguments in their receiver, by number.
var Keepers = map[string][]int{
	"(*container/list.List).PushFront":         {1},
	"(*container/list.List).PushBack":          {1},
	"(*container/list.List).InsertBefore":      {1},
	"(*container/list.List).InsertAfter":       {1},
	"container/heap.Push":                      {1},
	"(*sync.Map).Store":                        {1, 2},
	"(*sync.Map).LoadOrStore":                  {1, 2},
	"(*sync.Map).Swap":                         {1, 2},
	"(*sync.Map).CompareAndSwap":               {3},
	"(*sync/atomic.Pointer[T]).CompareAndSwap": {2},
	"(*sync/atomic.Value).CompareAndSwap":      {2},
	"(*sync.Pool).Put":                         {1},
	"(*sync/atomic.Pointer[T]).Store":          {1},
	"(*sync/atomic.Pointer[T]).Swap":           {1},
	"(*sync/atomic.Value).Store":               {1},
	"(*sync/atomic.Value).Swap":                {1},
	"(*bytes.Reader).Reset":                    {1},
	"(*strings.Reader).Reset":                  {1},
	"(*container/list.List).PushBackList":      {1},
	"(*container/list.List).PushFrontList":     {1},
}

// Emptiers release what their receiver keeps.
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

// Deleters delete an element of the map that their receiver is, by its key.
var Deleters = map[string]bool{
	"(net/http.Header).Del":          true,
	"(net/textproto.MIMEHeader).Del": true,
	"(net/url.Values).Del":           true,
}

// Yielders return what their receiver keeps.
var Yielders = map[string]bool{
	"(*sync.Map).Load":               true,
	"(*sync.Pool).Get":               true,
	"(*sync/atomic.Pointer[T]).Load": true,
	"(*sync/atomic.Value).Load":      true,
}

// Collections is what the names of package collections' methods begin with, behind
// the parentheses. What they do with arenas is known by their summaries; what they keep
// is in tables that they compute addresses of, and here.
const Collections = "(*github.com/harena-go/arena/collections."

func init() {
	keeps := func(n []int, names ...string) {
		for _, name := range names {
			Keepers[Collections+name] = n
		}
	}
	keeps([]int{1, 2}, "Map[K, V]).Set", "Map[K, V]).LoadOrStore", "Map[K, V]).Swap")
	keeps([]int{1}, "Deque[T]).PushBack", "Deque[T]).PushFront", "List[T]).PushFront", "List[T]).PushBack",
		"Segmented[T]).Push", "Set[T]).Add")
	keeps([]int{2}, "Deque[T]).Set", "Slice[T]).Set", "Segmented[T]).Set")
	for _, name := range []string{"Map[K, V]).Get", "Map[K, V]).LoadAndDelete", "Map[K, V]).LoadOrStore",
		"Deque[T]).PopFront", "Deque[T]).PopBack",
		"Deque[T]).At", "Deque[T]).Front", "Deque[T]).Back", "Segmented[T]).At"} {
		Yielders[Collections+name] = true
	}
	for _, name := range []string{"Map[K, V]).Clear", "Deque[T]).Clear", "Segmented[T]).Clear", "Set[T]).Clear"} {
		Emptiers[Collections+name] = true
	}
}
