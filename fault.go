package arena

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
)

// This file turns faults at guarded memory into reports. It must not depend on how memory is guarded, nor on which
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
	e.Touched, e.Touch = true, touching()
	e.touchSite = watch.CallSite(e.Touch)
	deliver(*e, handler.(*func(Escape)))
	return f
}

// touching returns the stack of the fault that the calling deferred function handles.
func touching() []runtime.Frame {
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
	return slices.DeleteFunc(frames[at:], func(f runtime.Frame) bool { return strings.HasPrefix(f.Function, "runtime.") })
}
