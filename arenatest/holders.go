package arenatest

import (
	"sync"

	"github.com/harena-go/arena/internal/holder"
	"github.com/harena-go/arena/internal/inspect"
)

// maxSearches is of how many escapes found at a time the holder is looked for. It
// takes some ten milliseconds each in the tests of a small package, seconds where
// there are millions of objects.
const maxSearches = 10

func init() {
	inspect.Holders = func(blocks []inspect.Block) []string {
		texts := make([]string, len(blocks))
		for i, b := range blocks[:min(len(blocks), maxSearches)] {
			text, ok := heldBy(b)
			if texts[i] = text; !ok {
				break
			}
		}
		return texts
	}
}

// searching is held while the heap is written and searched: one test after the
// other.
var searching sync.Mutex

// heldBy says who holds a block, if that can be found out.
func heldBy(b inspect.Block) (text string, ok bool) {
	searching.Lock()
	defer searching.Unlock()
	paths, err := holder.Find([]holder.Range{{Start: b.Addr, End: b.Addr + b.Size}}, nil)
	switch {
	case err != nil:
		return "unknown: " + err.Error(), false
	case len(paths) == 0:
		return "unknown: nothing that the heap dump shows; the last reference may be gone by now", true
	}
	for i, p := range paths {
		if i > 0 {
			text += "\n"
		}
		text += p.Text()
	}
	return text, true
}
