package sites

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/harena-go/arena/scout/internal/probe"
)

// This file suggests the unit of work: the function whose calls are requests, documents or frames, each with an arena
// of its own. A benchmark calls it in its loop, so it is the outermost function of the module below a benchmark.

// A Candidate is a function that may be the unit of work.
type Candidate struct {
	Function, File string
	Line           int
	Share          float64 // of the memory cost of the benchmarks' allocations
	Test           bool    // only tests call it
}

// Cost estimates the cost of memory on common machines, including the collector, in ns.
func Cost(objects, bytes float64) float64 { return 30*objects + 0.35*bytes }

// An example, with the outermost call first:
//
//	testing.(*B).runN  BenchmarkHandle  (*Service).Handle  (*Service).plan  growslice     39 objects
//	testing.(*B).runN  BenchmarkHandle  newService                                         2 objects
//
// Handle and newService are candidates: both are called by the benchmark, and are the module's own. Handle comes first,
// as its memory costs more. plan allocates, but isn't one: it works for Handle.

// Suggest returns the candidates for the unit, the likeliest first, from the memory profile of whole benchmarks, less a
// profile of fewer iterations, if before isn't nil: the outermost functions of the module on their stacks, by Cost. By
// bytes NewParser, which has a large buffer, would come before Parse, which makes fifty small nodes from its input. A
// function of a test, or one that takes a *testing.T, often prepares the work, or runs the loop, so its callees come
// before it. Functions on goroutines of the module's own, or of a server's, count if there are only functions of tests
// otherwise, or if they, with each iteration, have the greater part: a handler rather than its client, and the
// goroutine that works rather than the function that waits for it.
func Suggest(after, before *profile.Profile, owns func(file string) bool) []Candidate {
	called, others, known := map[string]*tally{}, map[string]*tally{}, helpers{}
	var total, beside float64 // on the benchmarks' own goroutines, and on others
	for i, p := range []*profile.Profile{after, before} {
		if p == nil {
			continue
		}
		objectsAt, bytesAt := ValueIndex(p, "alloc_objects"), ValueIndex(p, "alloc_space")
		if objectsAt < 0 || bytesAt < 0 {
			return nil
		}
		for _, s := range p.Sample {
			cost := Cost(float64(s.Value[objectsAt]), float64(s.Value[bytesAt])) * float64(1-2*i)
			calls := Frames(s)
			if slices.ContainsFunc(calls, inInit) {
				continue
			}
			f, test, ok := outermost(calls, owns, known)
			switch {
			case slices.ContainsFunc(calls, inTest):
				total += cost
				if ok {
					add(called, f, test, cost)
				}
			case ok:
				beside += cost
				add(others, f, test, cost)
			}
		}
	}
	if before != nil { // both count iterations
		total = max(total, 0) + max(beside, 0)
	}
	all := sorted(called, total)
	if len(all) > 0 && !all[0].Test && (before == nil || 2*beside <= total) {
		return all
	}
	return append(sorted(others, max(total, beside)), all...)
}

// Beneath returns the share of a profile's bytes that is allocated beneath each function of the module, except tests.
func Beneath(p *profile.Profile, owns func(file string) bool) map[string]float64 {
	shares := map[string]float64{}
	total, at := 0.0, ValueIndex(p, "alloc_space")
	for _, s := range p.Sample {
		calls, bytes, once := Frames(s), float64(s.Value[at]), map[string]bool{}
		if slices.ContainsFunc(calls, inInit) {
			continue
		}
		total += bytes
		for _, f := range calls {
			if owns(f.File) && !OfTest(f.File) && eligible(f.Function) && !once[f.Function] {
				once[f.Function] = true
				shares[f.Function] += bytes
			}
		}
	}
	for f := range shares {
		shares[f] /= total
	}
	return shares
}

// sorted returns the candidates that have allocated, those of tests last.
func sorted(found map[string]*tally, total float64) (all []Candidate) {
	for _, c := range found {
		if c.cost > 0 {
			c.Share = min(1, c.cost/max(total, 1))
			all = append(all, c.Candidate)
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(order(a.Test), order(b.Test)),
			cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function))
	})
	return all
}

// outermost returns the outermost function of the module, outside of tests if there is one. Allocations in a test's own
// callback, such as one that reads lines for a parser, don't count for the module's function that calls it.
func outermost(calls []probe.Frame, owns func(file string) bool, known helpers) (f probe.Frame, test, ok bool) {
	inner := slices.IndexFunc(calls, func(f probe.Frame) bool { return owns(f.File) })
	for _, call := range slices.Backward(calls) {
		switch {
		case !owns(call.File) || !eligible(call.Function):
		case !known.tests(call):
			return call, false, !known.tests(calls[inner])
		case !ok:
			f, ok = call, true
		}
	}
	return f, true, ok
}

// A tally sums up the memory cost of a candidate.
type tally struct {
	Candidate
	cost float64
}

// add counts costs for a function on the stack of a benchmark. The line is that of the first call seen: any line within
// the function identifies it.
func add(found map[string]*tally, f probe.Frame, test bool, cost float64) {
	t := found[f.Function]
	if t == nil {
		t = &tally{Candidate: Candidate{Function: f.Function, File: f.File, Line: f.Line, Test: test}}
		found[f.Function] = t
	}
	t.cost += cost
}

// Lookup returns the function with a name, among those on the stacks of a profile: Handle, Service.Handle,
// (*Service).Handle, pkg.Handle or the whole path. If the name is ambiguous the second result lists its meanings.
func Lookup(p *profile.Profile, name string, owns func(string) bool) (Candidate, []string) {
	found := map[string]*tally{}
	for _, s := range p.Sample {
		calls := Frames(s)
		test := slices.IndexFunc(calls, inTest)
		for _, f := range calls[:max(test, 0)] {
			if owns(f.File) && means(f.Function, name) {
				add(found, f, OfTest(f.File), 1)
			}
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if len(names) != 1 {
		return Candidate{}, names
	}
	return found[names[0]].Candidate, nil
}

// means reports whether a name, as people write it, means a function.
func means(function, name string) bool {
	// People write methods with or without the star and the parentheses.
	strip := strings.NewReplacer("(", "", ")", "", "*", "").Replace
	bare, wanted := strip(Bare(function)), strip(arguments(name, ""))
	return function == Plain(name) || Short(function) == name || bare == wanted || strings.HasSuffix(bare, "."+wanted)
}

// inTest reports whether a call is the one in package testing that runs benchmarks and tests. Those may be closures
// made by a helper, so their own names don't matter.
func inTest(f probe.Frame) bool {
	return strings.HasPrefix(f.Function, "testing.(*B).") || strings.HasPrefix(f.Function, "testing.tRunner")
}

// inInit reports whether a call is the runtime's initialization of packages: nothing beneath it is work.
func inInit(f probe.Frame) bool { return f.Function == "runtime.doInit1" }

// order sorts true behind false.
func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// eligible excludes closures: they can't be named, and are mostly the bodies of benchmarks. zzLoop runs a test.
func eligible(function string) bool {
	name := Bare(function)
	return !strings.Contains(name, ".func") && !strings.HasPrefix(name, "Benchmark") &&
		!strings.HasPrefix(name, "Test") && name != "zzLoop" && name != "init" && !strings.HasPrefix(name, "init.")
}

// Frames returns the calls of a sample, the innermost first, with names as in snapshots.
func Frames(s *profile.Sample) (calls []probe.Frame) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil {
				f := line.Function
				calls = append(calls, probe.Frame{Function: Plain(f.Name), File: f.Filename, Line: int(line.Line)})
			}
		}
	}
	return calls
}

// ValueIndex returns the index of the value with a name in a sample, or -1.
func ValueIndex(p *profile.Profile, name string) int {
	return slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
}

// ObjectsBeneath returns the number of objects in a memory profile with a function on their stacks.
func ObjectsBeneath(p *profile.Profile, function string) (n int64) {
	at := ValueIndex(p, "alloc_objects")
	if at < 0 {
		return 0
	}
	for _, s := range p.Sample {
		if slices.ContainsFunc(Frames(s), func(f probe.Frame) bool { return f.Function == function }) {
			n += s.Value[at]
		}
	}
	return n
}
