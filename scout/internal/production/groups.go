package production

import (
	"cmp"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/cpu"
	"github.com/harena-go/arena/scout/internal/library"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file splits the cost of a unit of work by replacement, and adds up the savings. The decoders are part of it:
// their allocations are the smaller part of another decoder's savings.

// A Unit is a function that a framework calls for a piece of work, or the rest of the process.
type Unit struct {
	Function string  // "" for the rest of the process
	Caller   string  // "net/http", "gRPC", a package's path, "main", "a goroutine"
	Share    float64 // of all bytes
	CPU      float64 // share of all CPU
	Groups   []Group // sorted by savings, largest first
}

// A Group is a part of a unit with one replacement.
type Group struct {
	Name   string
	With   string  // the replacement, "" for none
	Times  float64 // how many times less CPU, as published; 0 if only allocations are saved
	Hoist  bool    // values that are built again
	Share  float64 // of all bytes
	CPU    float64 // share of all CPU
	Saves  float64 // share of all CPU, at most
	Places []Place // the program's calling lines, sorted by bytes, largest first
}

// A Place is a line of the program, with its callee.
type Place struct {
	probe.Frame
	Calls string // "" if it allocates by itself
	Share float64
}

// Groups without a library.
const (
	ownLines  = "own lines"
	libraries = "other libraries"
)

// A split is a split in progress.
type split struct {
	*finder
	usage  cpu.Usage
	bytes  int64
	groups map[[2]string]*sums // by unit and group
	units  map[string]*Unit
}

// sums are the sums of a group.
type sums struct {
	Group
	bytes, alive int64
	allocator    float64 // share of all CPU
	places       map[Place]int64
}

// add adds a stack: bytes of a memory profile, or a share of CPU, and the allocator's part in it.
func (s *split) add(calls []probe.Frame, bytes, alive int64, used, allocator float64) {
	at, _ := s.unit(calls)
	name := ""
	if at >= 0 {
		name = calls[at].Function
	}
	u := s.units[name]
	if u == nil {
		u = &Unit{Function: name}
		if at >= 0 {
			u.Caller = caller(calls, at)
		}
		s.units[name] = u
	}
	u.CPU += used
	u.Share += float64(bytes) / float64(max(s.bytes, 1))
	g, place := s.group(calls, at)
	sum := s.groups[[2]string{name, g.Name}]
	if sum == nil {
		sum = &sums{Group: g, places: map[Place]int64{}}
		s.groups[[2]string{name, g.Name}] = sum
	}
	sum.bytes, sum.alive = sum.bytes+bytes, sum.alive+alive
	sum.CPU, sum.allocator = sum.CPU+used, sum.allocator+allocator
	if place.Function != "" {
		sum.places[place] += bytes
	}
}

// group returns the group of a stack, and the own line that called it.
func (s *split) group(calls []probe.Frame, at int) (Group, Place) {
	own := slices.IndexFunc(calls, s.owns)
	if at < 0 {
		// The framework reads and writes for units that aren't on its stacks.
		at, own = len(calls), len(calls)
	}
	if lib, i := library.Find(calls[:at]); lib != nil {
		g := Group{Name: lib.Name, With: lib.With, Times: lib.Times, Hoist: lib.Hoist}
		place := Place{Calls: sites.Short(calls[i].Function)}
		if k := slices.IndexFunc(calls[i:], s.owns); k >= 0 {
			place.Frame = calls[i+k]
		}
		return g, place
	}
	if own == len(calls) {
		return Group{Name: libraries}, Place{}
	}
	place := Place{Frame: calls[own]}
	first := slices.IndexFunc(calls, func(f probe.Frame) bool { return !sites.OfRuntime(f) })
	if first == own {
		return Group{Name: ownLines, With: "package arena"}, place
	}
	// The program's calls of libraries: an arena serves if it has a replacement.
	place.Calls = sites.Short(calls[own-1].Function)
	if verdict.Replacement(calls[own-1].Function, sites.Other) != "" {
		return Group{Name: ownLines, With: "package arena"}, place
	}
	return Group{Name: libraries}, place
}

// finish returns the units, sorted by savings, largest first, and the savings of all.
func (s *split) finish() (all []Unit, saved float64) {
	for key, sum := range s.groups {
		g := sum.Group
		g.Share = float64(sum.bytes) / float64(max(s.bytes, 1))
		// A heap profile is of the last completed collection, so a little less is alive than it seems.
		dying := 1 - float64(sum.alive)/float64(max(sum.bytes, 1))
		collector := s.usage.GC * g.Share * dying
		switch {
		case g.Hoist:
			g.Saves = g.CPU + collector
		case g.Times > 0:
			g.Saves = g.CPU*(1-1/g.Times) + collector
		case g.With != "":
			g.Saves = sum.allocator*dying + collector
		}
		saved += g.Saves
		for place, n := range sum.places {
			place.Share = float64(n) / float64(max(s.bytes, 1))
			g.Places = append(g.Places, place)
		}
		slices.SortFunc(g.Places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(sites.Key(a.Frame), sites.Key(b.Frame)),
				strings.Compare(a.Calls, b.Calls))
		})
		u := s.units[key[0]]
		u.Groups = append(u.Groups, g)
	}
	for _, u := range s.units {
		slices.SortFunc(u.Groups, func(a, b Group) int {
			return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(b.Share, a.Share), strings.Compare(a.Name, b.Name))
		})
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.Saves(), a.Saves()), cmp.Compare(b.Share, a.Share),
			strings.Compare(a.Function, b.Function))
	})
	return all, saved
}

// Saves returns the share of all CPU that the unit saves, at most.
func (u Unit) Saves() (sum float64) {
	for _, g := range u.Groups {
		sum += g.Saves
	}
	return sum
}
