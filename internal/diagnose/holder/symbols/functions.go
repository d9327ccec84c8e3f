package symbols

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"runtime"
	"strings"
)

// FrameOf returns the function, file and line at a program counter, the innermost if calls were inlined. Outside of
// functions the frame is zero.
func FrameOf(pc uintptr) runtime.Frame {
	if pc == 0 || pc == math.MaxUint {
		return runtime.Frame{}
	}
	f, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next() // CallersFrames takes pc+1 for a return address
	return f
}

// FramesOf is FrameOf as a list, which is empty outside of functions.
func FramesOf(pc uintptr) []runtime.Frame {
	if f := FrameOf(pc); f.Function != "" {
		return []runtime.Frame{f}
	}
	return nil
}

// FunctionName returns the name of the function with an instruction.
func FunctionName(pc uintptr) string {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return fmt.Sprintf("a function at %#x", pc)
}

// physical returns the function whose code contains an instruction. For an instruction of an inlined call,
// runtime.FuncForPC returns the inlined function instead.
func physical(pc uintptr) *runtime.Func {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return nil
	}
	return runtime.FuncForPC(f.Entry())
}

// goroot is the folder of the standard library, "" if the program was built with trimmed paths.
var goroot = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(fmt.Sprint).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "fmt/print.go")
}()

// IsStandard reports whether a call is of a function of the standard library.
func IsStandard(f runtime.Frame) bool {
	return goroot != "" && strings.HasPrefix(f.File, goroot) || IsRuntime(f.Function)
}

// IsRuntime reports whether a function is of package runtime by its name.
func IsRuntime(function string) bool { return strings.HasPrefix(function, "runtime.") }

// InRuntime is IsRuntime for a function whose code begins at entry. It also recognizes runtime functions named after
// the package that uses them, such as os/signal.signal_recv.
func InRuntime(function string, entry uintptr) bool {
	if IsRuntime(function) {
		return true
	}
	fn := runtime.FuncForPC(entry)
	if fn == nil || fn.Name() != function {
		return false
	}
	// The file shows where the function is defined, despite its name.
	file, _ := fn.FileLine(entry)
	return strings.HasPrefix(file, goroot+"runtime/")
}

// PackagePath returns the path of a function's package. The linker's names escape the dots in its last part, and
// unusual characters.
func PackagePath(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	path, err := url.PathUnescape(function[:slash] + name)
	if err != nil {
		return function[:slash] + name
	}
	return path
}
