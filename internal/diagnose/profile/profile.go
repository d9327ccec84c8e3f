// Package profile samples the bytes that are allocated, by the stack of the caller. It must not
// depend on who the callers are, or on what they allocate.
//
// It counts each allocation of some pieces of work. After a random number of bytes, every on
// average, it takes a sample. An allocation of n bytes is sampled with probability 1-exp(-n/every),
// so each sample stands for the inverse of that. Sums over samples are right on average, whatever
// the sizes are, and however far apart samples are in different pieces of work.
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
	used  uint64 // bytes used by work that has ended, as End was told
}

// A site is a stack with samples.
type site struct {
	samples int
	total   weight // allocated
	live    weight // of these, by work that goes on
}

func (s *site) add(v weight, sign float64) {
	s.total.add(v, sign)
	s.live.add(v, sign)
}

// A weight is what samples stand for.
type weight struct{ objects, bytes float64 }

func (w *weight) add(v weight, sign float64) {
	w.objects += sign * v.objects
	w.bytes += sign * v.bytes
}

// A Sampler counts for one piece of work, which belongs to one goroutine.
type Sampler struct {
	profile *Profile
	every   float64 // bytes from sample to sample, on average
	counted int64   // bytes, less those that were given back
	left    int64   // bytes to go until the next sample
	number  uint64  // how many samples it has taken

	// taken has the samples of what is in use, oldest first, by the address of the arena: it must not
	// keep the arena alive. The arena is the one that is lent, or a child of it. It is a map because
	// Drop is called at the end of each life of each child, and most children have no sample.
	taken map[uintptr][]taken
	most  int // how many arenas were in taken at a time since it was made
}

// A taken is a sample.
type taken struct {
	of *site
	weight
	number uint64

	size int64 // of the allocation

	// Of a sample by Count: where the allocation begins in the stream of counted bytes, and which
	// byte was sampled. Else at is -1.
	begin, at int64
}

// Begin begins a piece of work that will probably allocate about so many bytes. The Sampler is
// new, or its work has ended.
func (s *Sampler) Begin(p *Profile, bytes float64) {
	s.profile, s.every = p, min(max(tuning.ProfileEvery, bytes/tuning.ProfileSamples), tuning.ProfileMost)
	s.left = s.next()
}

// next returns how many bytes there are to the next sample.
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

// GiveBack removes the last n bytes that Count has counted for an arena from the stream. Samples of
// these bytes are dropped. A sampled allocation that gives back a part weighs as one of the rest.
func (s *Sampler) GiveBack(by, n uintptr) {
	s.counted -= int64(n)
	s.left += int64(n)
	all := s.taken[by]
	for i := len(all) - 1; i >= 0; i-- {
		t := &all[i]
		rest := s.counted - t.begin
		switch {
		case t.at >= s.counted:
			s.left = t.at - s.counted // it is sampled again if it is allocated again
			s.weigh(t, 0)
			if all = slices.Delete(all, i, i+1); len(all) == 0 {
				delete(s.taken, by)
				return
			}
			s.taken[by] = all
		case t.at >= 0 && rest < t.size:
			s.left = s.next()
			s.weigh(t, rest)
			return
		case t.at >= 0:
			return
		}
	}
}

// weigh changes the size of the allocation that was sampled.
func (s *Sampler) weigh(t *taken, size int64) {
	s.profile.mu.Lock()
	defer s.profile.mu.Unlock()
	t.of.add(t.weight, -1)
	if t.size = size; size == 0 {
		t.of.samples--
		return
	}
	t.weight = s.weightOf(size)
	t.of.add(t.weight, 1)
}

// weightOf returns what a sample of an allocation of some size stands for.
func (s *Sampler) weightOf(size int64) weight {
	w := 1 / -math.Expm1(-float64(size)/s.every)
	return weight{w, float64(size) * w}
}

// CountTo is Count for one of several streams of bytes. It takes in how many bytes the stream's
// next sample is due, if that is known, and returns in how many it is due after these n. If it
// isn't known it is drawn anew: the distance to the next sample doesn't depend on the distance to
// the last one.
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
			stack = watch.Stack{} // of all others
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
	if s.taken == nil {
		s.taken = map[uintptr][]taken{}
	}
	s.taken[by] = append(s.taken[by], taken{of, v, s.number, int64(n), begin, at})
	s.most = max(s.most, len(s.taken))
}

// Number returns how many samples there have been.
func (s *Sampler) Number() uint64 { return s.number }

// Drop ends the samples of an arena that were taken after the one with a number: what the arena
// allocated since then is no longer in use.
func (s *Sampler) Drop(by uintptr, after uint64) {
	all := s.taken[by]
	byNumber := func(t taken, n uint64) int { return cmp.Compare(t.number, n) }
	n, _ := slices.BinarySearchFunc(all, after+1, byNumber)
	if n == len(all) {
		return
	}
	s.profile.mu.Lock()
	defer s.profile.mu.Unlock()
	s.drop(by, n)
}

// drop ends the samples of an arena except the first n. It keeps no room for more arenas than there
// are: making it again costs little compared with the stacks of so many.
func (s *Sampler) drop(by uintptr, n int) {
	all := s.taken[by]
	for _, t := range all[n:] {
		t.of.live.add(t.weight, -1)
	}
	if n > 0 {
		s.taken[by] = all[:n]
		return
	}
	if delete(s.taken, by); len(s.taken) == 0 && s.most > 64 {
		s.taken, s.most = nil, 0 // take makes it again
	}
}

// End ends the piece of work, which has used so many bytes, unless it has ended before. Nothing of
// it is in use any more.
func (s *Sampler) End(used uint64) {
	p := s.profile
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.profile = nil
	p.used += used
	for by := range s.taken {
		s.drop(by, 0)
	}
}

// A Site has the sums for one stack, scaled up from the pieces of work that were counted to all
// of them.
type Site struct {
	Frames  []runtime.Frame // none for those that were too many to be told apart
	Samples int

	Objects, Bytes         float64 // allocated
	LiveObjects, LiveBytes float64 // of these, by work that goes on
}

// Sites returns the sums by stack, if one in rate pieces of work was counted, and what that has
// used. Sampling doesn't wait while stacks are turned into frames.
func (p *Profile) Sites(rate int) (all []Site, used float64) {
	n := float64(rate)
	p.mu.Lock()
	stacks := make([]watch.Stack, 0, len(p.sites))
	for stack, s := range p.sites {
		if s.samples == 0 {
			continue // all were given back
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
