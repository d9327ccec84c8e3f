package std

// This file describes containers whose source is too hard to analyze, as if they kept their contents in one field,
// [in].

// Deleters delete an element of their receiver, a map, by its key.
var Deleters = map[string]bool{
	"(net/http.Header).Del":          true,
	"(net/textproto.MIMEHeader).Del": true,
	"(net/url.Values).Del":           true,
}

// Collections is the prefix of the names of package collections' methods, parenthesis included. Summaries have their
// effects on arenas; their contents are in tables with computed addresses, and here.
const Collections = "(*github.com/harena-go/arena/collections."

// containers has methods and their flows, as in package summary.
var containers = map[string]string{
	"(*sync.Map).Clear":                        "0*[in]-",
	"(*sync.Map).CompareAndSwap":               "0*[in]+=3",
	"(*sync.Map).Delete":                       "0*[in]-",
	"(*sync.Map).Load":                         "#0=0*[in]",
	"(*sync.Map).LoadOrStore":                  "0*[in]+=1 0*[in]+=2",
	"(*sync.Map).Store":                        "0*[in]+=1 0*[in]+=2",
	"(*sync.Map).Swap":                         "0*[in]+=1 0*[in]+=2",
	"(*sync.Pool).Get":                         "#0=0*[in]",
	"(*sync.Pool).Put":                         "0*[in]+=1",
	"(*sync/atomic.Pointer[T]).CompareAndSwap": "0*[in]+=2",
	"(*sync/atomic.Pointer[T]).Load":           "#0=0*[in]",
	"(*sync/atomic.Pointer[T]).Store":          "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Pointer[T]).Swap":           "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Value).CompareAndSwap":      "0*[in]+=2",
	"(*sync/atomic.Value).Load":                "#0=0*[in]",
	"(*sync/atomic.Value).Store":               "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Value).Swap":                "0*[in]- 0*[in]+=1",
	"container/heap.Push":                      "0*[in]+=1",
}

func init() {
	of := func(text string, names ...string) {
		for _, name := range names {
			containers[Collections+name] += text
		}
	}
	of("0*[in]+=1 0*[in]+=2 ", "Map[K, V]).Set", "Map[K, V]).LoadOrStore", "Map[K, V]).Swap")
	of("0*[in]+=1 ", "Deque[T]).PushBack", "Deque[T]).PushFront", "List[T]).PushFront", "List[T]).PushBack",
		"Segmented[T]).Push", "Set[T]).Add")
	of("0*[in]+=2 ", "Deque[T]).Set", "Slice[T]).Set", "Segmented[T]).Set")
	of("#0=0*[in] ", "Map[K, V]).Get", "Map[K, V]).LoadAndDelete", "Map[K, V]).LoadOrStore",
		"Deque[T]).PopFront", "Deque[T]).PopBack", "Deque[T]).At", "Deque[T]).Front", "Deque[T]).Back",
		"Segmented[T]).At")
	of("0*[in]- ", "Map[K, V]).Clear", "Deque[T]).Clear", "Segmented[T]).Clear", "Set[T]).Clear")
}
