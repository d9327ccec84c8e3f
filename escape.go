package arena

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tuning"
)

// This file reports references that outlived their arena's memory, and selects the receiver of a report. It must not
// depend on how package watch finds them.

// An Escape is memory that an arena has reclaimed, but that something still points to. That is a bug: in an unchecked
// arena, the memory would hold other values by now. Checked arenas find it; see [WithChecks].
//
// Without CheckObjects only the chunk is known, not the value: Size is the chunk's, and Type the type of all values in
// it, or "" for several types without pointers. A value with pointers may also be the one through which others are
// still referenced, which are reported too. In a self-contained arena all memory reclaimed in a life counts as one
// chunk, and Type is "self-contained".
//
// A use of guarded memory is an Escape too, see [WithGuardRate]. It is Touched: something used the memory, whether or
// not it kept a reference since. If a pointer in a dead value was followed Size is 0, and Type has all types that the
// value may have, with " or " between.
type Escape struct {
	Arena   string // the arena's name, set by WithName
	Key     string // as given to GetKeyed, of an arena from a Pool; or ""
	Type    string // of the value
	Size    int    // bytes of the value
	Cycles  int    // full GC cycles that the memory survived
	Written bool   // it was written to since; only CheckObjects finds that
	Moved   bool   // it was written to after a container moved or freed it, before the memory was reclaimed
	Holder  string // the path of references to it; only arenatest finds that
	Touched bool   // it was used, by the calls in Touch; see WithGuardRate

	Allocated []runtime.Frame // stack of the allocation; only with CheckObjects
	Reclaimed []runtime.Frame // stack of the call that reclaimed the memory
	Lent      []runtime.Frame // stack of the Get of an arena from a Pool
	Touch     []runtime.Frame // stack of the use, if it is Touched

	touchSite string // the user's line in Touch
	number    string // the runtime's error, if a number read from the memory was the cause
	slot      bool   // the value was one of a collections.Slots
}

// String returns the escape as a report of several lines, in the form of the race detector's.
func (e Escape) String() string {
	var b strings.Builder
	in := "an arena without a name"
	if e.Arena != "" {
		in = "arena" + quoted(e.Arena)
	}
	fmt.Fprintf(&b, "ARENA ESCAPE: %s in %s", e.subject(), in)
	if e.Key != "" {
		fmt.Fprintf(&b, " with key %q", e.Key)
	}
	b.WriteString(" ")
	took := "Reclaimed"
	switch {
	case e.Moved && e.slot:
		took = "Freed"
		b.WriteString("was written to after Slots.Free")
	case e.Moved:
		took = "Moved"
		b.WriteString("was written to after it had been moved\n\n" +
			"A pointer of Map.Ref is valid until the next entry is added.")
	case e.Cycles == 0 && !e.Written && !e.Touched:
		b.WriteString("is still referenced when it is reclaimed")
	case e.Written:
		b.WriteString("was written to after it had been reclaimed")
	case e.Touched:
		b.WriteString("was used after it had been reclaimed")
	default:
		fmt.Fprintf(&b, "is still referenced, %s after it was reclaimed", count(e.Cycles, "GC cycle"))
	}
	b.WriteString(watch.Trace("Used", e.Touch, ""))
	b.WriteString(watch.Trace("Allocated", e.Allocated, ""))
	b.WriteString(watch.Trace(took, e.Reclaimed, e.Key))
	if e.Allocated == nil { // else it says more
		b.WriteString(watch.Trace("Lent", e.Lent, ""))
	}
	if e.Holder != "" {
		fmt.Fprintf(&b, "\n\nHeld by:\n  %s", strings.ReplaceAll(e.Holder, "\n", "\n  "))
	}
	return b.String()
}

// LogValue returns the escape as a group for package log/slog, with the lines of the user's code where the value was
// allocated, the arena lent, and the memory reclaimed.
func (e Escape) LogValue() slog.Value {
	list := []slog.Attr{slog.String("arena", e.Arena), slog.String("key", e.Key), slog.String("type", e.Type),
		slog.Int("size", e.Size), slog.Int("cycles", e.Cycles), slog.Bool("written", e.Written),
		slog.String("holder", e.Holder), slog.String("allocated", watch.CallSite(e.Allocated)),
		slog.String("lent", watch.CallSite(e.Lent)), slog.String("reclaimed", e.place())}
	if e.Touched {
		list = append(list, slog.String("touched", e.touchSite))
	}
	return slog.GroupValue(list...)
}

// place returns the line of the call that reclaimed the memory, or the work that ended then.
func (e Escape) place() string {
	return strings.TrimPrefix(watch.When(e.Reclaimed, e.Key), "at ")
}

// selfContained is the Type of an escape from a self-contained arena with CheckResets, in which all memory reclaimed in
// a life lives and dies together.
const selfContained = "self-contained"

// subject describes the escaped memory, as far as known: a value, some value of a self-contained arena, or a chunk.
func (e Escape) subject() string {
	switch {
	case e.Allocated != nil:
		return fmt.Sprintf("%s (%d bytes)", e.Type, e.Size)
	case e.Type == selfContained:
		return fmt.Sprintf("a value among %d bytes", e.Size)
	case e.number != "":
		return "a number (" + e.number + ") in a dead value"
	case e.Touched && e.Size == 0:
		return strings.TrimSpace("a pointer in a dead value " + e.Type)
	case e.Type == "":
		return fmt.Sprintf("a chunk of %d bytes for values without pointers", e.Size)
	}
	return fmt.Sprintf("a chunk of %d bytes for %s", e.Size, e.Type)
}

// escapeOf returns the Escape for a finding.
func escapeOf(f *watch.Finding, holder string) Escape {
	e := Escape{
		Arena: f.Name, Key: f.Key, Size: int(f.Size), Cycles: f.Cycles, Written: f.Written, Moved: f.Moved,
		Holder: holder, Reclaimed: f.Stack.Frames(),
	}
	if f.Lent != nil {
		e.Lent = f.Lent.Frames()
	}
	switch s := f.Site; {
	case s != nil:
		e.Type = s.String()
		e.Allocated = s.Stack.Frames()
		e.slot = s.What == watch.One // Maps move slices
	case f.Elem != nil:
		e.Type = layout.Name(f.Elem)
	case f.All:
		e.Type = selfContained
	}
	return e
}

// tracker checks the memory that checked arenas reclaim.
var tracker = watch.Tracker{Report: report}

// report calls the handlers.
func report(found []watch.Finding) {
	holders := make([]string, len(found))
	if inspect.Holders != nil {
		blocks := make([]inspect.Block, len(found))
		for i := range found {
			blocks[i].Addr, blocks[i].Size = found[i].Extent()
		}
		holders = inspect.Holders(blocks)
	}
	for i := range found {
		deliver(escapeOf(&found[i], holders[i]), found[i].Handler.(*func(Escape)))
	}
}

// deliver calls handler; without one, the handler of inspect.All, or else it logs.
func deliver(e Escape, handler *func(Escape)) {
	switch all := inspect.All.Load(); {
	case handler != nil:
		(*handler)(e)
	case all != nil:
		(*all)(e)
	default:
		escapeLog.write(e)
	}
}

// FindEscapes runs the GC until everything that checked arenas have reclaimed so far has been examined. It calls the
// handlers of [OnEscape] for memory that is still referenced, and returns when they have returned; they must not call
// it. Several goroutines may call it; they wait for each other.
//
// It is for tests and for debugging. It takes one GC cycle if nothing is referenced, else four, seldom more, and none
// if there is nothing to examine. Without it, escapes are reported after the GC cycles that happen anyway.
func FindEscapes() { tracker.FindAll() }

// An escapeLogger is the default handler of escapes.
type escapeLogger struct {
	mu         sync.Mutex
	seen       map[string]bool // logged kinds
	since      time.Time       // start of this minute
	lines      int             // in this minute
	suppressed int             // since the last line
}

var escapeLog escapeLogger

// write logs the escape if it is the first of its kind: of its arena, key, type and place of the allocation, or of the
// reset if that place is unknown.
func (l *escapeLogger) write(e Escape) {
	place := e.place()
	allocated := watch.CallSite(e.Allocated)
	lent := watch.CallSite(e.Lent)
	kind := e.Arena + "\x00" + e.Key + "\x00" + e.Type + "\x00" + allocated + e.touchSite
	if allocated == "" {
		kind += place
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) >= time.Minute {
		l.since, l.lines = now, 0
	}
	if l.seen[kind] || len(l.seen) >= tuning.LogKinds || l.lines >= tuning.LogMinute {
		l.suppressed++
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[kind] = true
	l.lines++
	what, of := "chunk", e.Type
	switch {
	case e.Allocated != nil:
		what = "value"
	case e.Type == selfContained:
		what = "life"
	case e.number != "":
		what, of = "number", e.number
	case e.Touched && e.Size == 0:
		what = "pointer"
	case e.Type == "":
		of = "without pointers"
	}
	used, next := "", ` next="arenatest.Hold in a test names the holder; WithGuardRate(1) finds the use"`
	if e.Touched {
		used, next = " touched="+strconv.Quote(e.touchSite), ""
	}
	log.Printf("arena: escape arena=%q key=%q what=%s type=%q size=%d cycles=%d written=%t%s "+
		"allocated=%q lent=%q reclaimed=%q suppressed=%d%s",
		e.Arena, e.Key, what, of, e.Size, e.Cycles, e.Written, used, allocated, lent, place, l.suppressed, next)
	l.suppressed = 0
}

// This part turns faults at guarded memory into reports. It must not depend on how memory is guarded, nor on which
// arenas are.

// faults is the handler for Pools and for packages that lend arenas.
var faults = inspect.FaultHandler{
	Catch: func() { debug.SetPanicOnFault(true) },
	Report: func(v any) any {
		if f := faultOf(v); f != nil {
			return f
		}
		return v
	},
}

// fenced makes a checked arena guard reclaimed memory.
var fenced = (*watch.Watch).Fenced

// ReportFault reports the use of memory that a guarded arena has reclaimed, see [WithGuardRate], to the function given
// to [OnEscape]. v is the value from recover. ok is false, and nothing is reported, if v has another reason. A fault
// that was reported already, by [Pool.Do] for example, isn't reported a second time.
//
// It is for goroutines that get no arena themselves: workers, timers, loops that write a log. They call
// [debug.SetPanicOnFault], since the runtime ends the program at a fault otherwise, and ReportFault in a deferred
// function, which has the stack of the use. It may go on with other work, if that doesn't need the interrupted work, or
// end the program:
//
//	debug.SetPanicOnFault(true)
//	defer func() {
//		if v := recover(); v != nil {
//			if e, ok := arena.ReportFault(v); ok {
//				panic(e.String())
//			}
//			panic(v)
//		}
//	}()
func ReportFault(v any) (e Escape, ok bool) {
	if f := faultOf(v); f != nil {
		return f.escape, true
	}
	return
}

// A faulted is a fault that was reported, in place of the runtime's error.
type faulted struct {
	fault  runtime.Error
	escape Escape
}

func (f *faulted) Error() string { return f.escape.String() }
func (f *faulted) RuntimeError() {}
func (f *faulted) Unwrap() error { return f.fault }

// Addr returns the address of the fault, or 0 if a number read from a dead value was the cause.
func (f *faulted) Addr() uintptr {
	if a, ok := f.fault.(addressed); ok {
		return a.Addr()
	}
	return 0
}

// addressed is a fault of the runtime, with debug.SetPanicOnFault.
type addressed interface {
	runtime.Error
	Addr() uintptr
}

// deadNumbers are the numbers of 32 and 64 bits with which dead values are overwritten, as the runtime's errors write
// them: an index out of range, a length.
var deadNumbers = [...]string{"-2604246222170760229", "15842497851538791387", "-606348325", "3688618971"}

// faultOf returns what v reports, or reports v if it is a fault at guarded memory, or was caused by a number from
// there; else it returns nil. The fence of a number isn't known, only that there is one.
func faultOf(v any) *faulted {
	err, _ := v.(error)
	if f, ok := errors.AsType[*faulted](err); ok {
		return f
	}
	fault, ok := errors.AsType[runtime.Error](err)
	if !ok {
		return nil
	}
	f := &faulted{fault: fault}
	e := &f.escape
	var handler any
	if a, ok := fault.(addressed); ok {
		t, ok := tracker.TouchAt(a.Addr())
		if !ok {
			return nil
		}
		*e = Escape{Arena: t.Name, Key: t.Key, Size: int(t.Size), Reclaimed: t.Stack.Frames()}
		if t.Lent != nil {
			e.Lent = t.Lent.Frames()
		}
		for i, typ := range t.Types {
			if i > 0 {
				e.Type += " or "
			}
			e.Type += layout.Name(typ)
		}
		handler = t.Handler
	} else if b := tracker.Fenced(); b != nil && slices.ContainsFunc(deadNumbers[:], func(s string) bool {
		return strings.Contains(fault.Error(), s)
	}) {
		*e, handler = Escape{Arena: b.Name, number: fault.Error()}, b.Handler
	} else {
		return nil
	}
	e.Touched, e.Touch = true, faultStack()
	e.touchSite = watch.CallSite(e.Touch)
	deliver(*e, handler.(*func(Escape)))
	return f
}

// faultStack returns the stack of the fault that the calling deferred function handles.
func faultStack() []runtime.Frame {
	var pcs [128]uintptr
	next := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	var frames []runtime.Frame
	for more := true; more; {
		var f runtime.Frame
		f, more = next.Next()
		frames = append(frames, f)
	}
	at := slices.IndexFunc(frames, func(f runtime.Frame) bool { return f.Function == "runtime.gopanic" })
	if at < 0 {
		return nil
	}
	own := func(f runtime.Frame) bool { return strings.HasPrefix(f.Function, "runtime.") }
	return slices.DeleteFunc(frames[at:], own)
}
