// Package profile samples allocated bytes by the caller's stack. It must not depend on the callers, or on the types
// that they allocate.
//
// It counts each allocation of some pieces of work. After a random number of bytes, every on average, it takes a
// sample. An allocation of n bytes is sampled with probability 1-exp(-n/every), and each sample is weighted by the
// inverse. Sums over samples are right on average, for all sizes, and for any distance between samples in different
// pieces of work.
package profile

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/tuning"
)

// A Profile has the samples of many pieces of work. Any number of goroutines may use it.
type Profile struct {
	mu    sync.Mutex
	sites map[watch.Stack]*site
	used  uint64 // bytes used by ended work
}

// A site is a stack with samples.
type site struct {
	samples int
	total   weight // allocated
	live    weight // part of total: allocated by work that goes on
}

func (s *site) add(v weight, sign float64) {
	s.total.add(v, sign)
	s.live.add(v, sign)
}

// A weight is an estimate made from samples.
type weight struct{ objects, bytes float64 }

func (w *weight) add(v weight, sign float64) {
	w.objects += sign * v.objects
	w.bytes += sign * v.bytes
}

// A Sampler counts for one piece of work, which belongs to one goroutine.
type Sampler struct {
	profile *Profile
	every   float64 // bytes from sample to sample, on average
	counted int64   // bytes, without returned ones
	left    int64   // bytes until the next sample
	number  uint64  // samples taken

	// samples has the samples still in use, oldest first, by the address of the arena: a pointer would keep the arena
	// alive. The arena is the lent one or a child of it. It is a map because Drop is called at the end of each life of
	// each child, and most children have no sample.
	samples map[uintptr][]sample
	most    int // highest number of arenas in this map so far
}

// A sample is a part of an allocation.
type sample struct {
	site *site
	weight
	number uint64

	size int64 // of the allocation

	// For a sample by Count: the start of the allocation in the stream of counted bytes, and the position of the
	// sampled byte. Else at is -1.
	begin, at int64
}

// Begin begins a piece of work that will allocate about bytes. The Sampler is new, or its work has ended.
func (s *Sampler) Begin(p *Profile, bytes float64) {
	s.profile, s.every = p, min(max(tuning.ProfileEvery, bytes/tuning.ProfileSamples), tuning.ProfileMost)
	s.left = s.next()
}

// next draws the number of bytes until the next sample.
func (s *Sampler) next() int64 { return int64(rand.ExpFloat64() * s.every) }

// Count counts n bytes that an arena allocates.
func (s *Sampler) Count(by, n uintptr) {
	begin, at := s.counted, s.counted+s.left
	s.counted += int64(n)
	if s.left -= int64(n); s.left < 0 {
		s.left = s.next()
		s.take(by, n, begin, at)
	}
}

// GiveBack removes the last n bytes that Count counted for an arena from the stream, and drops samples of these bytes.
// A sampled allocation that gives back a part gets the weight of the rest.
func (s *Sampler) GiveBack(by, n uintptr) {
	s.counted -= int64(n)
	s.left += int64(n)
	all := s.samples[by]
	for i := len(all) - 1; i >= 0; i-- {
		t := &all[i]
		rest := s.counted - t.begin
		switch {
		case t.at >= s.counted:
			s.left = t.at - s.counted // it is sampled again if it is allocated again
			s.weigh(t, 0)
			if all = slices.Delete(all, i, i+1); len(all) == 0 {
				delete(s.samples, by)
				return
			}
			s.samples[by] = all
		case t.at >= 0 && rest < t.size:
			s.left = s.next()
			s.weigh(t, rest)
			return
		case t.at >= 0:
			return
		}
	}
}

// weigh changes the size of the sampled allocation.
func (s *Sampler) weigh(t *sample, size int64) {
	s.profile.mu.Lock()
	defer s.profile.mu.Unlock()
	t.site.add(t.weight, -1)
	if t.size = size; size == 0 {
		t.site.samples--
		return
	}
	t.weight = s.weightOf(size)
	t.site.add(t.weight, 1)
}

// weightOf returns the weight of a sample of size bytes.
func (s *Sampler) weightOf(size int64) weight {
	w := 1 / -math.Expm1(-float64(size)/s.every)
	return weight{w, float64(size) * w}
}

// CountTo is Count for one of several streams of bytes. due is the number of bytes until the stream's next sample, if
// known; the result is that number after these n. If it isn't known it is drawn anew: the distance to the next sample
// doesn't depend on the distance to the last one.
func (s *Sampler) CountTo(by, due uintptr, known bool, n uintptr) uintptr {
	if !known {
		due = uintptr(s.next())
	}
	if n <= due {
		return due - n
	}
	due = uintptr(s.next())
	s.take(by, n, 0, -1)
	return due
}

// take takes a sample of n bytes.
func (s *Sampler) take(by, n uintptr, begin, at int64) {
	var stack watch.Stack
	runtime.Callers(4, stack[:])
	v := s.weightOf(int64(n))
	p := s.profile
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.sites[stack]
	if of == nil {
		if len(p.sites) >= tuning.ProfileSites {
			stack = watch.Stack{} // of all other stacks
			of = p.sites[stack]
		}
		if of == nil {
			if p.sites == nil {
				p.sites = map[watch.Stack]*site{}
			}
			of = new(site)
			p.sites[stack] = of
		}
	}
	of.samples++
	of.add(v, 1)
	s.number++
	if s.samples == nil {
		s.samples = map[uintptr][]sample{}
	}
	s.samples[by] = append(s.samples[by], sample{of, v, s.number, int64(n), begin, at})
	s.most = max(s.most, len(s.samples))
}

// Number returns the number of samples so far.
func (s *Sampler) Number() uint64 { return s.number }

// Drop ends the samples of an arena taken after the sample with a number: later allocations are no longer in use.
func (s *Sampler) Drop(by uintptr, after uint64) {
	all := s.samples[by]
	byNumber := func(t sample, n uint64) int { return cmp.Compare(t.number, n) }
	n, _ := slices.BinarySearchFunc(all, after+1, byNumber)
	if n == len(all) {
		return
	}
	s.profile.mu.Lock()
	defer s.profile.mu.Unlock()
	s.drop(by, n)
}

// drop ends the samples of an arena except the first n. A large empty map is dropped: making it again costs little
// compared with the stacks of as many samples.
func (s *Sampler) drop(by uintptr, n int) {
	all := s.samples[by]
	for _, t := range all[n:] {
		t.site.live.add(t.weight, -1)
	}
	if n > 0 {
		s.samples[by] = all[:n]
		return
	}
	if delete(s.samples, by); len(s.samples) == 0 && s.most > 64 {
		s.samples, s.most = nil, 0 // take makes it again
	}
}

// End ends the piece of work, which used that many bytes, unless it has ended before. None of them is in use any more.
func (s *Sampler) End(used uint64) {
	p := s.profile
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.profile = nil
	p.used += used
	for by := range s.samples {
		s.drop(by, 0)
	}
}

// A Site has the sums for one stack, scaled up from the counted pieces of work to all.
type Site struct {
	Frames  []runtime.Frame // none for the stacks beyond the limit, which share a Site
	Samples int

	Objects, Bytes         float64 // allocated
	LiveObjects, LiveBytes float64 // part of these: allocated by work that goes on
}

// Pools has the profiles of pools. Package arena sets it.
var Pools interface {
	// Sites returns the samples of an *arena.Pool by call stack, the bytes used by all ended leases, as in
	// PoolStats.Used, and those used by the observed ones among them.
	Sites(pool any) (sites []Site, used, observed float64)
}

// Sites returns the sums by stack, if one in rate pieces of work was counted, and the bytes used by all. Sampling
// doesn't wait while stacks are turned into frames.
func (p *Profile) Sites(rate int) (all []Site, used float64) {
	n := float64(rate)
	p.mu.Lock()
	stacks := make([]watch.Stack, 0, len(p.sites))
	for stack, s := range p.sites {
		if s.samples == 0 {
			continue // all samples were given back
		}
		stacks = append(stacks, stack)
		all = append(all, Site{Samples: s.samples, Objects: n * s.total.objects, Bytes: n * s.total.bytes,
			LiveObjects: n * max(0, s.live.objects), LiveBytes: n * max(0, s.live.bytes)})
	}
	used = n * float64(p.used)
	p.mu.Unlock()
	for i := range all {
		all[i].Frames = stacks[i].Frames()
	}
	return all, used
}
