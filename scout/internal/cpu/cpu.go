// Package cpu reads the cost of memory from CPU profiles: the allocator's, by calling line, and the collector's. It
// also measures the cost of an arena. It must not depend on decisions about moving.
package cpu

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/library"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// Each sample of a CPU profile belongs to one of three parts:
//
//	the collector   a function of its own on the stack, on whatever goroutine: workers, assists, sweeping
//	the allocator   else mallocgc on the stack; it counts for the innermost line of the module
//	the program     all others
//
// An arena can save the allocator's part of the moved lines, and the collector's by the share of bytes that they
// allocate: the collector runs when the heap has grown by a certain amount, for any reason.

// Usage has shares of all CPU in a profile.
type Usage struct {
	Samples   int64
	Allocator float64            // without its work for the collector
	GC        float64            // marking, assisting, sweeping in the background
	Unit      float64            // beneath the unit's function
	At        map[string]float64 // the allocator's, by Line of the module's innermost call
	Calls     map[string]float64 // the program's and the allocator's in calls of known libraries, by Call
}

// Call names a call of a library's function in a line.
func Call(line probe.Frame, function string) string { return Line(line) + " " + function }

// Line names a line by its function, so that it is found in a program that was built elsewhere.
func Line(f probe.Frame) string {
	return sites.Key(probe.Frame{File: f.Function, Line: f.Line})
}

// Read splits a profile. owns reports whether a file is the module's; for profiles from machines with other paths, the
// functions' names decide. With a unit, only allocations beneath it have lines.
func Read(p *profile.Profile, unit string, owns func(file string) bool) Usage {
	// A CPU profile has samples and nanoseconds. The nanoseconds are added up.
	value := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "cpu" })
	u := Usage{At: map[string]float64{}, Calls: map[string]float64{}}
	if value < 0 {
		return u
	}
	var total float64
	for _, s := range p.Sample {
		v := float64(s.Value[value])
		total += v
		// Samples are counted to distinguish an empty profile from that of an idle program.
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
				if unit == "" { // the file may be anywhere: any caller may be the module's line
					for _, f := range calls[i+1:] {
						u.At[Line(f)] += v
					}
				}
			}
		}
	}
	// An empty profile has no shares.
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

// A Part is a part of the CPU in a profile.
type Part uint8

const (
	Program Part = iota
	Allocator
	Collector
)

// PartOf returns the part of a sample from its calls.
func PartOf(calls []probe.Frame) Part {
	switch {
	// First: an assist happens within an allocation, but is the collector's.
	case slices.ContainsFunc(calls, isGC):
		return Collector
	case slices.ContainsFunc(calls, isAllocator):
		return Allocator
	}
	return Program
}

// isGC reports whether a function does the collector's work. An assist happens within an allocation.
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

// isAllocator reports whether a function of the runtime allocates. All allocations pass through one of these two.
func isAllocator(f probe.Frame) bool {
	return strings.HasPrefix(f.Function, "runtime.mallocgc") || f.Function == "runtime.newobject"
}
