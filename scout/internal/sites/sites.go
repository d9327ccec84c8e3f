// Package sites extracts each line's allocations in units of work from a snapshot. It knows stacks and numbers, and
// must not depend on sources or judgements.
package sites

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
)

// A stack of the profile is read from its inner end:
//
//	runtime.mallocgc        \
//	runtime.growslice        > the runtime's: they tell the kind, see KindOf
//	strings.(*Builder).grow  > a library's: Lib, Leaves
//	orders.(*S).plan         > the module's innermost call: Place
//	orders.(*S).Handle       > the unit: Path ends here
//	orders.BenchmarkHandle     not part of a unit
//
// A stack without the unit on it counts for the process only.

// A Site is a way from the unit's function to a line of the module, with the line's allocations.
type Site struct {
	Place probe.Frame // the module's innermost call
	Lib   string      // the library's function that Place called, "" if Place itself allocates
	Kind  Kind
	Size  int64         // of a block, if Place itself allocates objects: it distinguishes two expressions in its line
	Path  []probe.Frame // the calls from Place up to the unit's

	// Leaves are the innermost calls outside the runtime: Place, or those of a library.
	Leaves []probe.Frame

	Objects, Bytes      int64
	AliveObjects, Alive int64 // when a later unit began
	Earlier             int64 // objects that were alive when one of the first units began, -1 if unknown
}

// A Kind is the kind of an allocation, from the runtime's function.
type Kind uint8

const (
	Object    Kind = iota // new, &T{}, a slice literal, a closure, a variable that outlives its call
	Make                  // make of a slice
	Append                // append that had to grow
	Moved                 // a slice on the stack, of appends, that moves to the heap when it escapes
	String                // string(bytes)
	Bytes                 // []byte(string)
	Runes                 // []rune(string)
	Concat                // a + b of strings
	Box                   // a value that becomes an interface
	Map                   // make of a map, or one that grows
	Channel               // make of a channel
	Goroutine             // go
	Other
)

// kindNames are the names in reports and in the output of -json.
var kindNames = [...]string{"object", "make", "append", "moved slice", "string", "bytes", "runes", "concat", "box",
	"map", "channel", "goroutine", "other"}

// String returns the kind's name in reports.
func (k Kind) String() string { return kindNames[k] }

// All has the allocations of a unit in a snapshot.
type All struct {
	Units  int64
	Inside int64  // units under way, including the one that had just begun
	Sites  []Site // in units, in the order of the snapshot

	// Share of all the process's bytes that units allocated. Bytes from before the previous snapshot don't count: they
	// are mostly one-time work of the process.
	Share float64
	// Lines, by Key, that have also allocated on goroutines not started by a benchmark or test itself: the unit's
	// function isn't on their stacks, though they may work for a unit.
	Elsewhere map[string]bool
}

// Key names a line, for maps.
func Key(f probe.Frame) string { return f.File + ":" + strconv.Itoa(f.Line) }

// Place returns the file and the line of a key, which may come from a truncated log.
func Place(key string) (file string, line int) {
	i := max(0, strings.LastIndexByte(key, ':'))
	line, _ = strconv.Atoi(strings.TrimPrefix(key[i:], ":"))
	return key[:i], line
}

// Of returns the sites beneath a unit's function. owns reports whether a file is the module's.
func Of(s *probe.Snapshot, unit string, owns func(file string) bool) All {
	all := All{Units: s.Units, Inside: s.Inside, Elsewhere: map[string]bool{}}
	earlier := map[string]int64{}
	var bytes, inUnits int64 // since the previous snapshot
	if s.Before != nil {
		before := Of(s.Before, unit, owns).Sites
		for i := range before {
			earlier[before[i].id()] = before[i].AliveObjects
			inUnits -= before[i].Bytes
		}
		for _, p := range s.Before.Sites {
			bytes -= p.Bytes
		}
	}
	index := map[string]int{}
	for _, p := range s.Sites {
		bytes += p.Bytes
		site, ok := of(p, unit, owns)
		if !ok {
			continue
		}
		if len(site.Path) > 0 {
			id := site.id()
			inUnits += site.Bytes
			i, known := index[id]
			if !known {
				index[id] = len(all.Sites)
				if site.Earlier = -1; s.Before != nil {
					site.Earlier = earlier[id]
				}
				all.Sites = append(all.Sites, site)
				continue
			}
			all.Sites[i].add(site)
			// A goroutine of the program's own: it may work for a unit, though the unit isn't on its stack.
		} else if !beneathTest(p.Stack) {
			all.Elsewhere[Key(site.Place)] = true
		}
	}
	all.Share = float64(inUnits) / float64(max(bytes, 1))
	return all
}

// id is equal for all sizes of a stack's allocations, other than objects, and all calls within a library's function.
func (s *Site) id() string {
	var b strings.Builder
	b.WriteString(s.Kind.String() + " " + s.Lib + " " + strconv.FormatInt(s.Size, 10))
	for _, f := range s.Path {
		b.WriteString(" " + Key(f))
	}
	return b.String()
}

// add adds the numbers of a stack with the same id.
func (s *Site) add(other Site) {
	s.Objects += other.Objects
	s.Bytes += other.Bytes
	s.AliveObjects += other.AliveObjects
	s.Alive += other.Alive
	s.Leaves = append(s.Leaves, other.Leaves...)
}

// of returns the site of a stack, without a Path if the unit isn't on it, and false if no call is the module's.
func of(p probe.Site, unit string, owns func(string) bool) (site Site, ok bool) {
	site = Site{Objects: p.Objects, Bytes: p.Bytes, AliveObjects: p.AliveObjects, Alive: p.Alive}
	// first is the innermost call outside the runtime, place the module's innermost.
	first := 0
	for first < len(p.Stack) && OfRuntime(p.Stack[first]) {
		first++
	}
	if slices.ContainsFunc(p.Stack[:first], OfCache) {
		return site, false
	}
	site.Kind = KindOf(p.Stack[:first])
	place := first
	for place < len(p.Stack) && !owns(p.Stack[place].File) {
		place++
	}
	if place == len(p.Stack) {
		return site, false
	}
	site.Leaves, site.Place = []probe.Frame{p.Stack[first]}, p.Stack[place]
	if place > first {
		site.Lib = p.Stack[place-1].Function
	} else if site.Kind == Object {
		site.Size = p.Bytes / max(p.Objects, 1)
	}
	// A unit may call itself: the outermost call is the unit, the others are within.
	for i := len(p.Stack) - 1; i >= place; i-- { // the outermost call of the unit
		if p.Stack[i].Function == unit {
			site.Path = p.Stack[place : i+1]
			break
		}
	}
	return site, true
}

// beneathTest reports whether a stack is that of a benchmark's or test's own goroutine, or of the program's start.
func beneathTest(stack []probe.Frame) bool {
	for _, f := range stack {
		if strings.HasPrefix(f.Function, "testing.") || f.Function == "main.main" || f.Function == "runtime.main" ||
			strings.HasPrefix(f.Function, "runtime.doInit") {
			return true
		}
	}
	return false
}

// caches are functions with which the runtime allocates for itself, on the stack of any caller: their results are kept
// for all callers, and no change of the program moves them.
var caches = []string{"runtime.buildTypeAssertCache", "runtime.buildInterfaceSwitchCache", "runtime.acquireSudog",
	"runtime.newdefer", "runtime.allocm"}

// OfCache reports whether the runtime allocates for itself in a call.
func OfCache(f probe.Frame) bool { return slices.Contains(caches, f.Function) }

// OfRuntime reports whether a call is one of the runtime's.
func OfRuntime(f probe.Frame) bool {
	return strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "internal/runtime/") ||
		strings.HasPrefix(f.Function, "reflect.unsafe_New")
}

// KindOf returns the kind of an allocation from the runtime's calls at the top of its stack.
func KindOf(calls []probe.Frame) Kind {
	if len(calls) == 0 { // from Go 1.27 on the compiler calls an allocator by size, which profiles omit
		return Object
	}
	for _, call := range slices.Backward(calls) { // the first call first
		// The outermost call of the runtime decides: growslice calls mallocgc, and the user wrote an append.
		if strings.HasPrefix(call.Function, "internal/runtime/maps") {
			return Map
		}
		name := call.Function[strings.LastIndexByte(call.Function, '.')+1:]
		for _, k := range kindsOf {
			if strings.HasPrefix(name, k.name) {
				return k.kind
			}
		}
	}
	return Other
}

// kindsOf has the kinds of allocations, by the beginnings of the names of the runtime's functions.
var kindsOf = []struct {
	name string
	kind Kind
}{{"makemap", Map}, {"mapassign", Map}, {"growslice", Append}, {"moveSlice", Moved}, {"makeslice", Make},
	{"slicebytetostring", String}, {"stringtoslicebyte", Bytes}, {"stringtoslicerune", Runes}, {"concatstring", Concat},
	{"convT", Box}, {"makechan", Channel}, {"newproc", Goroutine}, {"newobject", Object}, {"mallocgc", Object}}

// Plain returns a function's name as in runtime.CallersFrames. Profiles and dumps write type arguments in full, as in
// (*Parser[go.shape.int]).Do; CallersFrames and the sources have (*Parser[...]).Do for all of them.
func Plain(function string) string { return arguments(function, "[...]") }

// arguments replaces a name's type arguments with their brackets, which may be nested, by a text.
func arguments(function, text string) string {
	i, j := strings.IndexByte(function, '['), strings.LastIndexByte(function, ']')
	if i < 0 || j < i {
		return function
	}
	return function[:i] + text + function[j+1:]
}

// Short returns a function's name with the last part of its package's path, without type arguments: these contain paths
// with slashes.
func Short(function string) string { return path.Base(arguments(function, "")) }

// Bare returns a function's name without its package.
func Bare(function string) string {
	short := Short(function)
	if _, name, ok := strings.Cut(short, "."); ok {
		return name
	}
	return short
}

// Package returns the package path of a function or variable from its runtime name.
func Package(name string) string {
	name = arguments(name, "")
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return name[:slash+dot]
	}
	return name
}
