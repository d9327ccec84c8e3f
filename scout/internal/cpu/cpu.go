// Package cpu reads from CPU profiles what memory costs: the allocator, by the lines that call it, and the collector.
// It also knows what an arena costs instead, by trying it. It must not depend on what will be moved.
package cpu

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/library"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// Each sample of a CPU profile belongs to one of three:
//
//	the collector   a function of its own on the stack, on whatever goroutine: workers, assists, sweeping
//	the allocator   else mallocgc on the stack; it counts for the innermost line of the module
//	the program     all others
//
// What an arena can save is the allocator's part of the lines that move, and the collector's by the share of
// bytes that they allocate: the collector runs when the heap has grown by so much, whatever made it grow.

// Usage is shares of all CPU in a profile.
type Usage struct {
	Samples   int64
	Allocator float64            // without what it does for the collector
	GC        float64            // marking, assisting, sweeping in the background
	Unit      float64            // beneath the unit's function
	At        map[string]float64 // the allocator's, by Line of the innermost call that is the module's
	Calls     map[string]float64 // the program's and the allocator's in calls of known libraries, by Call
}

// Call names a library's function that a line calls.
func Call(line probe.Frame, function string) string { return Line(line) + " " + function }

// Line names a line: by its function, so that it is found in a program that was built elsewhere.
func Line(f probe.Frame) string {
	return sites.Key(probe.Frame{File: f.Function, Line: f.Line})
}

// Read takes a profile apart. owns tells which files are the module's; where that is elsewhere on the machine that
// has written the profile, the functions' names tell. With a unit, only allocations beneath it have lines.
func Read(p *profile.Profile, unit string, owns func(file string) bool) Usage {
	// A CPU profile counts samples and nanoseconds. The latter are what is added up.
	value := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "cpu" })
	u := Usage{At: map[string]float64{}, Calls: map[string]float64{}}
	if value < 0 {
		return u
	}
	var total float64
	for _, s := range p.Sample {
		v := float64(s.Value[value])
		total += v
		// Samples are counted to tell an empty profile from one of a program that is idle.
		u.Samples++
		calls := sites.Frames(s)
		at := len(calls) - 1 // of the unit
		for at >= 0 && unit != "" && calls[at].Function != unit {
			at--
		}
		beneath := unit == "" || at >= 0
		if beneath {
			u.Unit += v
		}
		part := PartOf(calls)
		if lib, i := library.Find(calls[:at+1]); unit != "" && lib != nil && part != Collector {
			if k := slices.IndexFunc(calls[i:at+1], func(f probe.Frame) bool { return owns(f.File) }); k >= 0 {
				u.Calls[Call(calls[i+k], calls[i].Function)] += v
			}
		}
		switch part {
		case Collector:
			u.GC += v
		case Allocator:
			u.Allocator += v
			i := slices.IndexFunc(calls, func(f probe.Frame) bool {
				return owns(f.File) || unit == "" && !sites.OfRuntime(f)
			})
			if i >= 0 && beneath {
				u.At[Line(calls[i])] += v
				if unit == "" { // the file may be anywhere: all callers may be the module's line
					for _, f := range calls[i+1:] {
						u.At[Line(f)] += v
					}
				}
			}
		}
	}
	// Shares of nothing are nothing.
	if total == 0 {
		return u
	}
	u.GC /= total
	u.Allocator /= total
	u.Unit /= total
	for k := range u.At {
		u.At[k] /= total
	}
	for k := range u.Calls {
		u.Calls[k] /= total
	}
	return u
}

// A Part is one of the three that a sample belongs to.
type Part uint8

const (
	Program Part = iota
	Allocator
	Collector
)

// PartOf returns the part that a sample's calls belong to.
func PartOf(calls []probe.Frame) Part {
	switch {
	// First: an assist of the collector happens within an allocation, and is the collector's.
	case slices.ContainsFunc(calls, isGC):
		return Collector
	case slices.ContainsFunc(calls, isAllocator):
		return Allocator
	}
	return Program
}

// isGC reports whether a function does the collector's work. An assist is done within an allocation.
func isGC(f probe.Frame) bool {
	name, ok := strings.CutPrefix(f.Function, "runtime.")
	if !ok {
		return false
	}
	for _, prefix := range []string{"gcBgMarkWorker", "gcAssistAlloc", "gcStart", "gcMark", "gcDrain", "bgsweep",
		"bgscavenge", "gcWriteBarrier", "wbBufFlush", "gcSweep", "gcController"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isAllocator reports whether a function of the runtime allocates. All ways lead through one of these two.
func isAllocator(f probe.Frame) bool {
	return strings.HasPrefix(f.Function, "runtime.mallocgc") || f.Function == "runtime.newobject"
}
