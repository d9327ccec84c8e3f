package arenatest

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/engine/race"
)

// maxSearches limits the escapes found at a time whose holders are searched, all in one heap dump. That takes some ten
// milliseconds in the tests of a small package, and seconds with millions of objects.
const maxSearches = maxReports

func init() { inspect.Holders = holders }

// unsearched replaces the holder with the race detector: after the millions of accesses of a search, the detector has
// forgotten earlier reclaims, and wouldn't report uses of that memory.
const unsearched = "not looked for while the test runs with -race, whose memory of uses is short; " +
	"go test without -race says it"

// searching is held while the heap is written and searched, by one test at a time.
var searching sync.Mutex

// holders describes the holder of each of the first maxSearches blocks.
func holders(blocks []inspect.Block) []string {
	texts := make([]string, len(blocks))
	if race.Enabled && peeking.Load() && !dying.Load() {
		for i := range texts {
			texts[i] = unsearched
		}
		return texts
	}
	searching.Lock()
	defer searching.Unlock()
	targets := make([][]holder.Range, min(len(blocks), maxSearches))
	for i := range targets {
		targets[i] = []holder.Range{{Start: blocks[i].Addr, End: blocks[i].Addr + blocks[i].Size}}
	}
	found, err := holder.FindEach(targets, nil, heldRoot)
	for i := range targets {
		if err != nil {
			texts[i] = "unknown: " + err.Error()
		} else {
			texts[i] = heldBy(found[i])
		}
	}
	return texts
}

// heldBy describes the paths to a block in words.
func heldBy(paths []holder.Path) (text string) {
	if len(paths) == 0 {
		return "unknown: nothing that the heap dump shows; the last reference may be gone by now"
	}
	for i, p := range paths {
		if i > 0 {
			text += "\n"
		}
		text += byHold(p.Text())
	}
	return text
}

// heldRoot is the first root of a search. The path from a value given to Hold explains most, though a variable of an
// active call may lead there over fewer objects.
var heldRoot = holder.Root{
	Name: "what arenatest.Hold was given",
	Type: reflect.TypeOf(&held).Elem(),
	Addr: uintptr(unsafe.Pointer(&held)),
}

// byHold replaces the part of a path in Hold's own data by a line that a user understands.
func byHold(path string) string {
	lines := strings.SplitN(path, "\n", 4)
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "global "+heldRoot.Name) {
		return path
	}
	return heldRoot.Name + "\n" + lines[3]
}
