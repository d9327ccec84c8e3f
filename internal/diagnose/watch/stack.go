package watch

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// This file handles stacks, and finds the user's part of them. It must not depend on the use of a stack.

// A Stack is a stack as the runtime returns it, the innermost call first, with zeros after its end. As an array it can
// be compared and needs no allocation of its own.
type Stack [24]uintptr

// Frames returns the calls from the user's call of this package on. Earlier frames are in this package, or in iterators
// that it calls.
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
			break // its callers aren't the user's
		}
		frames = append(frames, f)
	}
	return frames
}

// own reports whether a frame is in package arena, in the packages that allocate for others, or in the engine. Tests
// are users. It goes by the file, since a function literal, such as that in Append, has the name of the function into
// which it was inlined.
func own(f runtime.Frame) bool {
	file, ok := strings.CutPrefix(f.File, ownFolder)
	if !ok || strings.HasSuffix(file, "_test.go") {
		return false
	}
	folder, _, inside := strings.Cut(file, "/")
	return !inside || folder == "internal" || folder == "collections" || folder == "arenajson"
}

// iterator reports whether a frame is in an iterator of package slices, whose body may have been inlined.
func iterator(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, "slices.") || strings.HasSuffix(f.File, "slices/iter.go")
}

// ownFolder is the prefix of this module's file names.
var ownFolder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "internal/diagnose/watch/stack.go")
}()

// Own reports whether a frame is in this module, except its tests and examples. Reports should not name such places.
func Own(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, "github.com/harena-go/arena/")
	return own(f) || ok && (strings.HasPrefix(rest, "arena") || strings.HasPrefix(rest, "contrib/")) &&
		!strings.HasSuffix(f.File, "_test.go")
}

// goroot is the folder of the standard library, "" if the program was built with trimmed paths.
var goroot = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "strings/strings.go")
}()

// user returns the index of the innermost call by the user's code, or -1.
func user(frames []runtime.Frame) int {
	return slices.IndexFunc(frames, func(f runtime.Frame) bool { return !Own(f) && !Standard(f) })
}

// Standard reports whether a frame is in the standard library.
func Standard(f runtime.Frame) bool {
	return goroot != "" && strings.HasPrefix(f.File, goroot) || strings.HasPrefix(f.Function, "runtime.")
}

// StackText returns the lines of a stack that the user can change, each after a newline: the called function of this
// module, and the calls in the user's code. Without user code it returns the whole stack.
func StackText(frames []runtime.Frame) string {
	var b strings.Builder
	first := user(frames)
	for i, f := range frames {
		switch {
		case first >= 0 && i < first && Own(f) && !slices.ContainsFunc(frames[i+1:first], Own):
			fmt.Fprintf(&b, "\n  %s()", f.Function)
		case first < 0 || !Own(f) && !Standard(f):
			fmt.Fprintf(&b, "\n  %s()\n      %s:%d", f.Function, f.File, f.Line)
		}
	}
	return b.String()
}

// Trace returns a part of a report: the operation done to a value, and its calls or the work that ended. It is ""
// without a stack.
func Trace(done string, frames []runtime.Frame, key string) string {
	switch x := Ended(frames, key); {
	case len(frames) == 0:
		return ""
	case x != "":
		return "\n\n" + done + " when " + x + " ended"
	}
	return "\n\n" + done + " by:" + StackText(frames)
}

// CallSite returns the file and line at which the user's code called this module, or "" if there is none among the
// frames. A deferred call that the runtime makes during a panic counts as one by the function that deferred it.
func CallSite(frames []runtime.Frame) string {
	if i := user(frames); i >= 0 {
		return fmt.Sprintf("%s:%d", frames[i].File, frames[i].Line)
	}
	return ""
}

// When says when a call reclaimed memory: "at file:line", or "when POST /search ended" if this module made the call.
// key is that of an arena from a Pool, or "".
func When(frames []runtime.Frame, key string) string {
	if x := Ended(frames, key); x != "" {
		return "when " + x + " ended"
	}
	return "at " + CallSite(frames)
}

// Ended names the work that ended when this module reclaimed memory: a request or a test. It returns "" if the user's
// code reclaimed it.
func Ended(frames []runtime.Frame, key string) string {
	switch {
	case len(frames) < 2 || own(frames[1]) || !Own(frames[1]):
		return ""
	case strings.Contains(frames[1].Function, "/arenatest."):
		return "the test"
	case !strings.HasSuffix(frames[0].Function, "(*Pool).Put"):
		return ""
	case key == "":
		return "the request"
	}
	return key
}
