package watch

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// This file handles stacks, and finds which part of them is the user's. It must not
// depend on what a stack is for.

// StackText returns frames as lines, each in front of a newline.
func StackText(frames []runtime.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&b, "\n  %s()\n      %s:%d", f.Function, f.File, f.Line)
	}
	return b.String()
}

// A Stack is a stack as the runtime returns it, the innermost call first, with zeros after
// its end. It is an array, so that two can be compared and it needs no allocation of its own.
type Stack [24]uintptr

// Frames returns the calls from the one by which the user's code calls this package on.
// Those before it are in this package, or in iterators that it calls.
func (s *Stack) Frames() (frames []runtime.Frame) {
	n := 0
	for n < len(s) && s[n] != 0 {
		n++
	}
	next := runtime.CallersFrames(s[:n])
	for inside, more := true, n > 0; more; {
		var f runtime.Frame
		f, more = next.Next()
		if inside = inside && (own(f) || iterator(f)); inside {
			frames = frames[:0]
		}
		if f.Function == "runtime.goexit" || f.Function == "testing.tRunner" ||
			strings.HasPrefix(f.Function, "testing.(*common).Cleanup.") {
			break // who called that isn't the user
		}
		frames = append(frames, f)
	}
	return frames
}

// own reports whether a frame is in package arena, in the packages that allocate for others,
// or in the engine. Tests are users. It goes by the file, since a function literal, such as
// that in Append, has the name of the function into which it was inlined.
func own(f runtime.Frame) bool {
	file, ok := strings.CutPrefix(f.File, ownFolder)
	if !ok || strings.HasSuffix(file, "_test.go") {
		return false
	}
	folder, _, inside := strings.Cut(file, "/")
	return !inside || folder == "internal" || folder == "collections" || folder == "arenajson"
}

// iterator reports whether a frame is in an iterator of package slices, whose body may have been
// inlined.
func iterator(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, "slices.") || strings.HasSuffix(f.File, "slices/iter.go")
}

// ownFolder is what the names of this module's files begin with.
var ownFolder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "internal/diagnose/watch/stack.go")
}()

// UserSite returns the file and line of the innermost call that is neither in the standard library nor
// in package arena, or "" if there is none.
func UserSite(frames []runtime.Frame) string {
	standard := standardFolder()
	for _, f := range frames {
		if !own(f) && f.File != "" && !strings.HasPrefix(f.Function, "runtime.") &&
			(standard == "" || !strings.HasPrefix(f.File, standard)) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	return ""
}

// standardFolder returns what the names of the standard library's files begin with, "" if they are relative.
func standardFolder() string {
	f := runtime.FuncForPC(reflect.ValueOf(strings.Clone).Pointer())
	file, _ := f.FileLine(f.Entry())
	return strings.TrimSuffix(file, "strings/clone.go")
}

// CallSite returns the file and line at which the user's code called this package, or ""
// if there is none among the frames. A deferred call that the runtime makes during a
// panic counts as one by the function that deferred it.
func CallSite(frames []runtime.Frame) string {
	for _, f := range frames {
		if !own(f) && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	return ""
}
