package arenatest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
)

// This file reports pointers in self-contained arenas that the GC doesn't see.

func init() {
	inspect.Places = places
	inspect.Arenas.LookThroughErrors()
}

// noDump is the last reason why no dump could be written. Finding out takes two seconds, and a reason such as a running
// CPU profile lasts for some time: for noDumpFor there is no further attempt.
var noDump noDumpReason

type noDumpReason struct {
	sync.Mutex
	err error
	at  time.Time
}

const noDumpFor = 30 * time.Second

// counts reports whether the reason is recent, by the clock of now, which differs in a synctest bubble.
func (r *noDumpReason) counts() bool { return r.err != nil && time.Since(r.at).Abs() < noDumpFor }

// places looks addresses up in a dump of the heap.
func places(addrs, kept []uintptr, own []inspect.Block) ([]inspect.Place, error) {
	noDump.Lock()
	defer noDump.Unlock()
	if noDump.counts() {
		return nil, noDump.err
	}
	all, err := dumped(addrs, kept, own)
	noDump.err, noDump.at = err, time.Now()
	return all, err
}

// logNoDump logs that pointers couldn't be looked up recently, if so.
func logNoDump(tb testing.TB) {
	tb.Helper()
	noDump.Lock()
	defer noDump.Unlock()
	if noDump.counts() {
		tb.Logf("arenatest: pointers in self-contained arenas can't be checked: %v", noDump.err)
	}
}

func dumped(addrs, kept []uintptr, own []inspect.Block) ([]inspect.Place, error) {
	ignored := make([]holder.Range, len(own))
	for i, b := range own {
		ignored[i] = holder.Range{Start: b.Addr, End: b.Addr + b.Size}
	}
	found, err := holder.Places(addrs, kept, ignored)
	runtime.GC() // or the next dump would contain this one
	all := make([]inspect.Place, len(found))
	for i, p := range found {
		all[i] = inspect.Place{Kind: placeKinds[p.Kind], Size: p.Size, First: p.First}
	}
	return all, err
}

var placeKinds = [...]inspect.PlaceKind{
	holder.Outside:  inspect.Static,
	holder.Kept:     inspect.Kept,
	holder.OnHeap:   inspect.OnHeap,
	holder.NoObject: inspect.Gone,
}

// dumpsEach is the number of heap dumps allowed for each arena, pool or Shared before its values die, not counting the
// end of the test. One takes some 10 ms.
const dumpsEach = 16

// onStray returns the option that makes an arena report strays to r.
func onStray(r *record) arena.Option {
	inspect.Dumps.Add(dumpsEach)
	return inspect.Arenas.OnStray(func(s inspect.Stray) { r.add(pointer(s)) }).(arena.Option)
}

// strays looks for strays in an arena now. last means that it will be reset next.
func strays(tb testing.TB, a *arena.Arena, last bool) {
	tb.Helper()
	if err := inspect.Arenas.Strays(a, last); err != nil {
		logNoDump(tb)
	}
}

// A pointer is the report of a stray.
type pointer inspect.Stray

// String returns the report, in the form of that of an arena.Escape.
func (p pointer) String() string {
	var b strings.Builder
	in := "a self-contained arena without a name"
	if p.Arena != "" {
		in = fmt.Sprintf("self-contained arena %q", p.Arena)
	}
	fmt.Fprintf(&b, "ARENA POINTER: %s in %s points to %s", p.Field, in, p.Target)
	b.WriteString(p.where())
	if p.More > 0 {
		fmt.Fprintf(&b, "; %d more like it", p.More)
	}
	b.WriteString("\n\nThe GC doesn't see this pointer. " + p.advice())
	b.WriteString(watch.Trace(p.Type+" allocated", p.Allocated, ""))
	return b.String()
}

// where describes the owner of the pointer's target.
func (p pointer) where() string {
	switch o := p.Owner; {
	case o != nil && o.Taken != "":
		return fmt.Sprintf(" that arena %q has reclaimed %s", o.Arena, o.Taken)
	case o != nil:
		return fmt.Sprintf(" in %s of that arena, which ends on its own", o.Relation)
	case p.Size > 0:
		return " on the Go heap, which the GC may free"
	}
	return " on the Go heap, which was freed already"
}

// advice tells the user how to correct the pointer.
func (p pointer) advice() string {
	switch o := p.Owner; {
	case o != nil && o.Taken != "":
		return "What it leads to was allocated at " + o.Allocated + "."
	case o != nil:
		return "What it leads to was allocated at " + o.Allocated + ". " +
			"Allocate it from the same arena, or copy it into that."
	}
	return "Allocate what it leads to from the same arena, or give that to KeepAlive."
}
