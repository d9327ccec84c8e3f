package arena

import (
	"fmt"
	"log"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
)

// An Escape is memory that an arena has taken back, but that something still
// points to: a bug, since in another arena it would be somebody else's by now.
// Checked arenas find it, see [WithChecks].
//
// Without CheckObjects it isn't known which value it is, but only the chunk: Size is
// that of the chunk, and Type that of all values in it, or "" if these are
// of several types without pointers. A value with pointers may also be the one
// through which others are still referenced, which are reported too. In
// a self-contained arena everything that was taken back at a time counts as one
// chunk, and Type is "self-contained".
type Escape struct {
	Arena   string // the arena's name, set by WithName
	Type    string // of the value
	Size    int    // bytes of the value
	Cycles  int    // full GC cycles that the memory has survived
	Written bool   // somebody has written to it since; only CheckObjects tells
	Holder  string // who points to it; only arenatest finds out

	Allocated []runtime.Frame // stack of the allocation; only CheckObjects knows
	TakenBack []runtime.Frame // stack of the call that took the memory back
}

// OnEscape sets what is called for each reference that has outlived a reset of a
// checked arena: see [WithChecks] and [WithCheckRate]. f is called by a goroutine
// of its own, or by the caller of [FindEscapes], once for each block of memory. It
// may use arenas, but not call FindEscapes. Without it, package [log] gets a
// line for the first escape of a kind, and no more than ten a minute. The line has
// the form arena: escape key=value key=value ...
func OnEscape(f func(Escape)) Option {
	return optionFunc(func(c *config) {
		c.onEscape = nil
		if f != nil {
			c.onEscape = &f
		}
	})
}

// String returns the escape as a report of several lines, in the form of those
// of the race detector.
func (e Escape) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ARENA ESCAPE: %s in arena%s ", e.what(), quoted(e.Arena))
	if e.Written {
		b.WriteString("was written to after it had been taken back")
	} else {
		fmt.Fprintf(&b, "is still referenced, %s after it was taken back", count(e.Cycles, "GC cycle"))
	}
	writeFrames(&b, "Allocated by", e.Allocated)
	writeFrames(&b, "Taken back by", e.TakenBack)
	if e.Holder != "" {
		fmt.Fprintf(&b, "\n\nHeld by:\n  %s", strings.ReplaceAll(e.Holder, "\n", "\n  "))
	}
	return b.String()
}

// selfContained is the Type of an escape from a self-contained arena with
// CheckResets, in which all that was taken back at a time lives and dies together.
const selfContained = "self-contained"

// what says what has escaped.
func (e Escape) what() string {
	switch {
	case e.Allocated != nil:
		return fmt.Sprintf("%s (%d bytes)", e.Type, e.Size)
	case e.Type == selfContained:
		return fmt.Sprintf("a value among %d bytes", e.Size)
	case e.Type == "":
		return fmt.Sprintf("a chunk of %d bytes for values without pointers", e.Size)
	}
	return fmt.Sprintf("a chunk of %d bytes for %s", e.Size, e.Type)
}

func writeFrames(b *strings.Builder, title string, frames []runtime.Frame) {
	if len(frames) == 0 {
		return
	}
	fmt.Fprintf(b, "\n\n%s:%s", title, stackText(frames))
}

func stackText(frames []runtime.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&b, "\n  %s()\n      %s:%d", f.Function, f.File, f.Line)
	}
	return b.String()
}

// pcs is a stack as the runtime gives it, the innermost call first.
type pcs [24]uintptr

// frames returns the calls from that of a function of this package by the user's
// code on. Those in front of it are of this package, which calls slices.Backward.
func (s *pcs) frames() (frames []runtime.Frame) {
	n := 0
	for n < len(s) && s[n] != 0 {
		n++
	}
	next := runtime.CallersFrames(s[:n])
	for inside, more := true, n > 0; more; {
		var f runtime.Frame
		f, more = next.Next()
		if inside = inside && (own(f) || strings.HasPrefix(f.Function, "slices.")); inside {
			frames = frames[:0]
		}
		if f.Function == "runtime.goexit" || f.Function == "testing.tRunner" {
			break
		}
		frames = append(frames, f)
	}
	return frames
}

// own says whether a call is one of a function of this package, or of the engine.
func own(f runtime.Frame) bool {
	return (strings.HasPrefix(f.Function, ownPrefix+".") || strings.HasPrefix(f.Function, ownPrefix+"/internal/memory.")) &&
		!strings.HasSuffix(f.File, "_test.go")
}

// ownPrefix is what the names of such functions begin with.
var ownPrefix = reflect.TypeFor[Arena]().PkgPath()

// escape returns the verdict in words.
func (v *verdict) escape(holder string) Escape {
	e := Escape{Arena: v.name, Size: int(v.size), Cycles: v.cycles, Written: v.written, Holder: holder,
		TakenBack: v.stack.frames()}
	switch s := v.site; {
	case s != nil:
		e.Type = s.String()
		e.Allocated = s.stack.frames()
	case v.elem != nil:
		e.Type = v.elem.String()
	case v.all:
		e.Type = selfContained
	}
	return e
}

// String returns the type of what was allocated.
func (s *site) String() string {
	switch {
	case s.what == text:
		return "string"
	case s.elem == nil:
		return "raw memory"
	case s.what == many:
		return "[]" + s.elem.String()
	}
	return s.elem.String()
}

// An escapeLogger is the default handler of escapes.
type escapeLogger struct {
	mu         sync.Mutex
	seen       map[string]bool // kinds that were logged
	since      time.Time       // when this minute began
	lines      int             // in this minute
	suppressed int             // since the last line
}

var escapeLog escapeLogger

// What the default handler logs at most.
const (
	logKinds  = 1000
	logMinute = 10
)

// write logs the escape if it is the first of its kind: of the same arena, type
// and place, of the allocation or else of the reset.
func (l *escapeLogger) write(e Escape) {
	place := callSite(e.TakenBack)
	allocated := callSite(e.Allocated)
	kind := e.Arena + "\x00" + e.Type + "\x00" + allocated
	if allocated == "" {
		kind += place
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) >= time.Minute {
		l.since, l.lines = now, 0
	}
	if l.seen[kind] || len(l.seen) >= logKinds || l.lines >= logMinute {
		l.suppressed++
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[kind] = true
	l.lines++
	log.Printf("arena: escape arena=%q type=%q size=%d cycles=%d written=%t allocated=%q taken_back=%q suppressed=%d",
		e.Arena, e.Type, e.Size, e.Cycles, e.Written, allocated, place, l.suppressed)
	l.suppressed = 0
}

// callSite returns the file and line at which the user's code called this
// package.
func callSite(frames []runtime.Frame) string {
	for _, f := range frames {
		if !own(f) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	return ""
}
