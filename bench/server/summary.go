package server

import "math/bits"

// A Summary is what is learned from a batch.
type Summary struct {
	Records, Errors int
	First, Last     int64 // times
	Levels          [levels]int
	Samples         int
	Sum             int64 // of the samples
	Retries         int   // records with the tag "retry"
	Labels          int
	Depth           int // of the deepest span; 1 for those without a parent

	Services, Routes, Regions []*Group // in the order in which they appear
}

// A Group is the records that share a service, a route or a region.
type Group struct {
	Name            string
	Records, Errors int
	Slowest         int64 // duration
	SlowestTrace    string
	Durations       [decades]uint32 // how many took up to 16 µs, 256 µs, 4 ms and so on
}

const decades = 8

// summarize looks at each record of a batch, once.
func summarize[M maker](m M, b *Batch, s *Summary) {
	for r := b.First; r != nil; r = r.Next {
		s.add(r)
		s.Services = addTo(m, s.Services, r.Source.Service, r)
		s.Routes = addTo(m, s.Routes, r.Route, r)
		s.Regions = addTo(m, s.Regions, r.Labels.Get("region"), r)
	}
}

// add counts what needs no group.
func (s *Summary) add(r *Record) {
	if s.Records == 0 {
		s.First, s.Last = r.Time, r.Time
	}
	s.First, s.Last = min(s.First, r.Time), max(s.Last, r.Time)
	s.Records++
	s.Levels[r.Level]++
	if r.failed() {
		s.Errors++
	}
	s.Samples += len(r.Samples)
	for _, n := range r.Samples {
		s.Sum += n
	}
	for _, t := range r.Tags {
		if t == "retry" {
			s.Retries++
			break
		}
	}
	s.Labels += r.Labels.Len()
	depth := 1
	for q := r.Parent; q != nil; q = q.Parent {
		depth++
	}
	s.Depth = max(s.Depth, depth)
}

// addTo counts r in the group with a name, which is added if it is new. There
// are few, so that searching them takes no longer than a map would.
func addTo[M maker](m M, groups []*Group, name string, r *Record) []*Group {
	for _, g := range groups {
		if g.Name == name {
			g.add(r)
			return groups
		}
	}
	groups = m.addGroup(groups, name)
	groups[len(groups)-1].add(r)
	return groups
}

func (g *Group) add(r *Record) {
	g.Records++
	if r.failed() {
		g.Errors++
	}
	if r.Duration >= g.Slowest {
		g.Slowest, g.SlowestTrace = r.Duration, r.Trace
	}
	g.Durations[min(bits.Len64(uint64(max(r.Duration, 0)))/4, decades-1)]++
}
