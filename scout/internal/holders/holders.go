// Package holders names the holders of values that outlived their unit, in the program's own words. Package
// internal/diagnose/holder finds roots, offsets and allocating stacks in a heap dump; the source gives the types of the
// allocated values.
package holders

import (
	"go/types"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// A dump knows addresses, a profile knows stacks. They meet in the line that allocated: for each site of the
// profile the census returns the objects of that line in the dump, and the way from a root to each.
//
//	global main.service  ->  map  ->  *Order  ->  the object
//	   named                 inside   named by the line that allocated it
//
// The way is shown by its last named holder, with the containers between it and the object in front.

// A Census has the objects that were alive when a unit began, by allocating line.
type Census struct {
	census *holder.Census
	// byLine has the objects of each line, by sites.Key. The line is that of the innermost call outside the runtime.
	byLine map[string][]holder.Held
	Source *source.Program // may be nil: then fields have no names
	Home   string          // the package whose types are named without it
}

// Read reads a heap dump, written by the program in a file.
func Read(heap []byte, program string) (*Census, error) {
	census, err := holder.ReadCensus(heap, program)
	if err != nil {
		return nil, err
	}
	c := &Census{census: census, byLine: map[string][]holder.Held{}}
	census.Objects(func(h holder.Held) bool {
		if f, ok := innermost(h.Allocated); ok && !slices.ContainsFunc(frames(h.Allocated), sites.OfCache) {
			// By line, since a dump names allocations by nothing else.
			key := sites.Key(f)
			c.byLine[key] = append(c.byLine[key], h)
		}
		return true
	})
	return c, nil
}

// innermost returns the innermost call outside the runtime, as for a site's Leaf.
func innermost(stack []runtime.Frame) (probe.Frame, bool) {
	for _, f := range stack {
		if !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, "internal/runtime/") &&
			f.File != "" && !strings.Contains(f.File, "/internal/runtime/") {
			return probe.Frame{Function: f.Function, File: f.File, Line: f.Line}, true
		}
	}
	return probe.Frame{}, false
}

// A line that leaks now and then has thousands of objects in a dump, held in the same way by the same container. So the
// census samples them, counts the ways in words, and shows the commonest.

// A Summary describes the holders of a line's objects.
type Summary struct {
	Short string // the nearest holder with a name: "map Service.seen"
	Full  string // the whole way from the root, of one of the objects
	Own   int    // objects that aren't only kept for a neighbour in their blocks
	InUse int    // objects that only units under way hold
	Total int    // objects
	Seen  int    // objects that are reachable in the dump, other than from a buffer of the runtime's
	Test  bool   // only a variable of the benchmark itself holds it
	Cache int    // objects held by a variable of the library that allocated them
}

// tiny is the size of the blocks in which the runtime groups small objects without pointers.
const tiny = 16

// most limits the sampled objects of a line.
const most = 200

// Of summarizes the holders of a site's objects. unit is the function of the units.
//
// Of finds the ways to the first most objects. Ways with equal words count together, and the commonest gives Short and
// Full. Total counts all objects; Seen, InUse and Test count only the sampled ones.
func (c *Census) Of(s sites.Site, unit string) Summary {
	var sum Summary
	shorts := map[string]int{}
	full := map[string]string{}
	test := 0
	for _, h := range c.held(s) {
		sum.Total++
		if !h.Neighbour || h.Size > tiny {
			sum.Own++
		}
		// Only counted: the ways of 200 objects show the holders of all.
		if sum.Total > most {
			continue
		}
		way := c.census.Way(h)
		if len(way) > 0 {
			// A buffer of the runtime's, such as that of a profile, leads to many objects for a while.
			if !(len(way) <= 3 && way[0].Kind == holder.Global && strings.HasPrefix(way[0].Name, "runtime.")) {
				sum.Seen++
			}
			if way[0].Kind == holder.Global && slices.ContainsFunc(append(s.Leaves, probe.Frame{Function: s.Lib}),
				func(f probe.Frame) bool {
					return s.Lib != "" && sites.Package(f.Function) == sites.Package(way[0].Name)
				}) {
				sum.Cache++
			}
			if slices.ContainsFunc(way[0].Calls, func(f string) bool { return sites.Plain(f) == unit }) {
				sum.InUse++
			}
		}
		if len(way) == 1 && ofTest(way[0]) {
			test++
		}
		short, whole := c.words(way, s.Place)
		shorts[short]++
		if full[short] == "" {
			full[short] = whole
		}
	}
	best := 0
	for _, short := range slices.Sorted(maps.Keys(shorts)) {
		// Sorted above, so that equal counts always give the same holder.
		if n := shorts[short]; n > best {
			best, sum.Short, sum.Full = n, short, full[short]
		}
	}
	sum.Test = test > 0 && test == min(sum.Total, most)
	return sum
}

// held returns the objects of a site. It tries three matches, each less strict than the one before:
//
//	(1) objects with all the site's calls on their stacks
//	(2) objects allocated in one of the site's innermost lines: where a function was inlined, the dump may name other
//	    lines of its callers
//	(3) objects allocated anywhere in the innermost function, with the same callers; see nearby
func (c *Census) held(s sites.Site) (found []holder.Held) {
	var all []holder.Held
	seen := map[string]bool{}
	for _, leaf := range s.Leaves {
		key := sites.Key(leaf)
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, h := range c.byLine[key] {
			if s.Size > 0 && int64(h.Size) != s.Size { // another expression's
				continue
			}
			all = append(all, h)
			if along(h.Allocated, s.Path) {
				found = append(found, h)
			}
		}
	}
	if len(found) == 0 && len(all) == 0 && len(s.Path) > 1 {
		return c.nearby(s)
	}
	if len(found) > 0 {
		return found
	}
	return all
}

// nearby returns the objects of a function's other lines, with a site's callers. A dump has the innermost call's return
// line, which from Go 1.27 on may be the program's next one.
func (c *Census) nearby(s sites.Site) (found []holder.Held) {
	for _, held := range c.byLine {
		for _, h := range held {
			// The file must be that of the site, and all callers the same; only the innermost line is free.
			if first := h.Allocated[0]; first.File == s.Place.File && along(h.Allocated[1:], s.Path[1:]) {
				found = append(found, h)
			}
		}
	}
	return found
}

// along reports whether the lines of a path are consecutive on a stack.
func along(stack []runtime.Frame, path []probe.Frame) bool {
	same := func(s runtime.Frame, f probe.Frame) bool { return s.Line == f.Line && s.File == f.File }
	for i := range len(stack) - len(path) + 1 {
		if slices.EqualFunc(stack[i:i+len(path)], path, same) {
			return true
		}
	}
	return false
}

// ofTest reports whether a root is a variable of a benchmark's or test's function.
func ofTest(root holder.Hold) bool {
	name := sites.Bare(root.Name)
	return root.Kind == holder.Stack && (strings.HasPrefix(name, "Benchmark") || strings.HasPrefix(name, "Test"))
}

// frames returns the runtime's calls at the beginning of a stack.
func frames(stack []runtime.Frame) (calls []probe.Frame) {
	for _, f := range stack {
		call := probe.Frame{Function: f.Function, File: f.File, Line: f.Line}
		if !sites.OfRuntime(call) && !strings.Contains(f.File, "/internal/runtime/") {
			break
		}
		calls = append(calls, call)
	}
	return calls
}

// words describes a way, whose first element is the root: short by its last holder that has a name, full as a whole.
//
// A struct on a stack has no name in the dump. But the line that allocated a directly held value assigned it to a
// field, so the source of that line gives the name. place is that line if the way has only the root.
func (c *Census) words(way []holder.Hold, place probe.Frame) (short, full string) {
	if len(way) == 0 {
		return "something the heap's dump doesn't show, such as a cleanup", ""
	}
	var all []string
	container := "" // since the last holder with a name: the innermost container
	for i, h := range way {
		text, kind := c.hold(h)
		if i == 0 && h.Kind == holder.Stack && c.Source != nil {
			if len(way) > 1 {
				place, _ = innermost(way[1].Allocated)
			}
			if target := c.Source.Target(place.File, place.Line, c.Home); target != "" {
				all = append(all, text)
				text = target
			}
		}
		switch {
		case kind == named:
			short, container = text, ""
			all = append(all, text)
		case kind == inside && text != "":
			container = text
			if len(all) == 0 || all[len(all)-1] != text {
				all = append(all, text)
			}
		}
	}
	if container != "" && short != "" {
		short = container + " " + short
	}
	return short, strings.Join(all, " <- ")
}

// short names a function or a variable, without its package if that is Home.
func (c *Census) short(name string) string {
	if sites.Package(name) == c.Home {
		return sites.Bare(name)
	}
	return sites.Short(name)
}

// A naming is the quality of a holder's name.
type naming uint8

const (
	unknown naming = iota
	inside         // the memory of a map, a channel or an array, which its own holder names
	named
)

// hold returns the name of a holder, and its quality.
func (c *Census) hold(h holder.Hold) (string, naming) {
	switch h.Kind {
	case holder.Global:
		if h.Name == "" {
			return "a global variable", named
		}
		return "global " + c.short(h.Name), named
	case holder.Stack:
		return "stack of " + c.short(h.Name), named
	case holder.Object:
	default:
		return strings.TrimSpace(h.Kind.String() + " " + h.Name), named
	}
	if isMap(h.Allocated) {
		return "map", inside
	}
	f, ok := innermost(h.Allocated)
	if !ok {
		return "", unknown
	}
	if isChannel(h.Allocated) {
		return "channel", inside
	}
	if text, kind := c.typed(f, h); text != "" {
		return text, kind
	}
	pkg := path.Base(sites.Package(f.Function))
	// Values from these packages hold values for their users, so the function that made them is their name.
	if pkg == "sync" || pkg == "time" || pkg == "context" || pkg == "list" || pkg == "unique" {
		return sites.Short(f.Function), named
	}
	return "", unknown
}

// typed names the field through which an object points on, by the type of the expression that allocated the object and
// the field's offset. The first expression of the line with a usable type counts.
func (c *Census) typed(f probe.Frame, h holder.Hold) (string, naming) {
	if c.Source == nil {
		return "", unknown
	}
	for _, e := range c.Source.At(f.File, f.Line, sites.KindOf(frames(h.Allocated)), int64(h.Size)) {
		if e.Type == nil {
			continue
		}
		switch e.Type.Underlying().(type) {
		case *types.Slice:
			return source.TypeName(types.NewSlice(e.Type.Underlying().(*types.Slice).Elem()), c.Home), inside
		case *types.Signature:
			return "closure at " + path.Base(f.File) + ":" + strconv.Itoa(f.Line), named
		case *types.Struct:
			return source.TypeName(e.Type, c.Home) + source.Field(e.Type, int64(h.Offset)), named
		}
	}
	return "", unknown
}

// isMap reports whether a map's own memory was allocated there. Functions of the map package that were inlined keep
// their file and lose their name, so both are looked at.
func isMap(stack []runtime.Frame) bool {
	return slices.ContainsFunc(frames(stack), func(f probe.Frame) bool {
		return strings.Contains(f.Function, "internal/runtime/maps.") ||
			strings.Contains(f.File, "/internal/runtime/maps/") ||
			strings.HasPrefix(f.Function, "runtime.makemap") || strings.HasPrefix(f.Function, "runtime.mapassign")
	})
}

// isChannel reports whether a channel was allocated there.
func isChannel(stack []runtime.Frame) bool {
	return slices.ContainsFunc(frames(stack), func(f probe.Frame) bool {
		return strings.HasPrefix(f.Function, "runtime.makechan")
	})
}

// Packages returns the import paths of the packages that allocated the holders. Their source has the types that name
// holders, so it must be loaded into Source before Of is called.
func (c *Census) Packages(all []sites.Site, unit string) []string {
	found := map[string]bool{}
	for _, s := range all {
		n := 0
		for _, h := range c.held(s) {
			if n++; n > most {
				break
			}
			for _, hold := range c.census.Way(h) {
				if f, ok := innermost(hold.Allocated); ok {
					found[strings.TrimSuffix(sites.Package(f.Function), "_test")] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
