// Package production takes a first look at a process that serves net/http/pprof, or at profiles of one: the CPU of the
// allocator and the collector, the bytes that die young, and the savings of arenas at most. It has only profiles, so
// its results are upper bounds: the real savings need a benchmark.
package production

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/cpu"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// Two profiles of a server are enough for a first answer. The CPU profile shows the CPU of the allocator and the
// collector; the memory profile shows the lines that allocate, and how much of that is still alive. Dead objects died
// sometime, but profiles can't show whether they died with their request. So the answer is an upper bound. The savings
// of this project's decoders come from published ratios: nothing of the process can be run again.

// A Look is the result of the profiles.
type Look struct {
	From          string  // the server, or the names of both files
	Allocator, GC float64 // shares of CPU
	Dying         float64 // share of the bytes allocated since the start that is dead
	AtMost        float64 // how many times less CPU, if everything with a replacement cost as much as that
	Units         []Unit  // of work, sorted by savings, largest first
	Lines         []Line  // sorted by bytes, largest first
}

// A Line is a line of the program that allocates, by itself or through the standard library.
type Line struct {
	probe.Frame
	Share float64 // of all bytes
	Dying float64 // share of the line's bytes that is dead
	CPU   float64 // the allocator's share of all CPU, in this line
	Grows bool    // it grows a slice or a map by itself

	bytes int64
}

// Limits for reading from a server.
const (
	largest = 256 << 20 // bytes of a profile
	patient = 15 * time.Second
)

// Fetch looks at a server, given by http://host:port or the address of its /debug/pprof. It takes a CPU profile of the
// given seconds, so it takes a little longer than that.
func Fetch(ctx context.Context, address string, seconds int) (*Look, error) {
	// A path is taken as that of the pprof pages, so that a server may have them elsewhere.
	base, err := url.Parse(address)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%s is no address such as http://localhost:6060", address)
	}
	if base.Path = strings.TrimSuffix(base.Path, "/") + "/"; base.Path == "/" {
		base.Path = "/debug/pprof/"
	}
	base.RawQuery = ""
	// Memory first: a CPU profile takes seconds, and a server without pprof fails at once.
	heap, err := fetch(ctx, base.JoinPath("allocs").String(), patient)
	if err != nil {
		return nil, err
	}
	u := base.JoinPath("profile")
	u.RawQuery = fmt.Sprintf("seconds=%d", seconds)
	used, err := fetch(ctx, u.String(), patient+time.Duration(seconds)*time.Second)
	if err != nil {
		return nil, err
	}
	return Of(base.Host, used, heap)
}

// fetch reads a profile from a server. Reading takes at most limit, and a profile beyond largest bytes is cut, so that
// a server can't block the program forever or fill its memory.
func fetch(ctx context.Context, address string, limit time.Duration) (*profile.Profile, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		// The error's own text repeats the method and the address.
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s; does the server import net/http/pprof?", address, response.Status)
	}
	return parse(address, io.LimitReader(response.Body, largest))
}

// Read looks at two files: a CPU profile and one of memory, in any order.
func Read(first, second string) (*Look, error) {
	var profiles [2]*profile.Profile
	for i, file := range []string{first, second} {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		profiles[i], err = parse(file, io.LimitReader(f, largest))
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	// The files may come in either order.
	if sites.ValueIndex(profiles[0], "alloc_space") >= 0 {
		profiles[0], profiles[1] = profiles[1], profiles[0]
	}
	return Of(first+" and "+second, profiles[0], profiles[1])
}

// parse reads a profile. Its error names the profile.
func parse(name string, r io.Reader) (*profile.Profile, error) {
	p, err := profile.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s is no profile: %v", name, err)
	}
	return p, nil
}

// Of looks at a CPU profile and a memory profile of the same program. It returns an error if they can't be of the same
// program, or if either is empty. from names them in errors.
func Of(from string, used, heap *profile.Profile) (*Look, error) {
	if sites.ValueIndex(used, "cpu") < 0 {
		return nil, fmt.Errorf("%s: no CPU profile among them", from)
	}
	alloc, inuse := sites.ValueIndex(heap, "alloc_space"), sites.ValueIndex(heap, "inuse_space")
	if alloc < 0 || inuse < 0 {
		return nil, fmt.Errorf("%s: no memory profile among them", from)
	}
	usage := cpu.Read(used, "", isOwn)
	if usage.Samples == 0 {
		return nil, fmt.Errorf("%s: the CPU profile is empty: the program has done nothing meanwhile", from)
	}
	l := &Look{From: from, Allocator: usage.Allocator, GC: usage.GC}
	var all, alive int64
	var stacks [][]probe.Frame
	var bytes []int64
	for _, s := range heap.Sample {
		all += s.Value[alloc]
		alive += s.Value[inuse]
		stacks, bytes = append(stacks, sites.Frames(s)), append(bytes, s.Value[alloc])
	}
	if all == 0 {
		return nil, fmt.Errorf("%s: the memory profile is empty", from)
	}
	split := &split{finder: newFinder(stacks, bytes), usage: usage, bytes: all, groups: map[[2]string]*sums{},
		units: map[string]*Unit{}}
	for i, s := range heap.Sample {
		split.add(stacks[i], bytes[i], s.Value[inuse], 0, 0)
	}
	grows := split.used(used)
	// No common line is a mistake of the caller, unless there are hardly any allocations.
	matched, any := false, false
	l.Lines, matched, any = lines(stacks, heap, usage, all, grows)
	if usage.Allocator > 0.02 && !matched && any {
		return nil, fmt.Errorf("%s are of different programs: none of the lines that allocate in the one does in the "+
			"other", from)
	}
	l.Dying = 1 - float64(alive)/float64(all)
	var saved float64
	l.Units, saved = split.finish()
	l.AtMost = 1 / max(1-saved, 0.02)
	return l, nil
}

// used adds a CPU profile, and returns the lines that grow slices and maps by themselves: they may be able to
// preallocate.
func (s *split) used(p *profile.Profile) (grows map[string]bool) {
	grows = map[string]bool{}
	at, total := sites.ValueIndex(p, "cpu"), 0.0
	for _, sample := range p.Sample {
		total += float64(sample.Value[at])
	}
	for _, sample := range p.Sample {
		calls, share := sites.Frames(sample), float64(sample.Value[at])/max(total, 1)
		switch cpu.PartOf(calls) {
		case cpu.Collector: // its savings go by bytes
			continue
		case cpu.Allocator:
			s.add(calls, 0, 0, share, share)
			first := slices.IndexFunc(calls, func(f probe.Frame) bool { return !sites.OfRuntime(f) })
			if first < 0 {
				continue
			}
			switch sites.KindOf(calls[:first]) {
			case sites.Append, sites.Map:
				grows[cpu.Line(calls[first])] = s.owns(calls[first])
			}
		default:
			s.add(calls, 0, 0, share, 0)
		}
	}
	return grows
}

// lines returns the program's lines that allocate. The innermost call of the program gets the bytes, including those of
// the standard library beneath it. matched reports whether the CPU profile has any of these lines.
func lines(stacks [][]probe.Frame, heap *profile.Profile, usage cpu.Usage, all int64, grows map[string]bool) (
	found []Line, matched, any bool) {
	alloc, inuse := sites.ValueIndex(heap, "alloc_space"), sites.ValueIndex(heap, "inuse_space")
	index := map[string]int{}
	alive := map[string]int64{}
	for i, s := range heap.Sample {
		at := slices.IndexFunc(stacks[i], isProgram)
		if at < 0 {
			continue
		}
		f := stacks[i][at]
		key := cpu.Line(f)
		if _, ok := index[key]; !ok {
			index[key] = len(found)
			found = append(found, Line{Frame: f, CPU: usage.At[key], Grows: grows[key]})
		}
		matched, any = matched || usage.At[key] > 0, true
		found[index[key]].bytes += s.Value[alloc]
		alive[key] += s.Value[inuse]
	}
	for i := range found {
		line := &found[i]
		line.Share = float64(line.bytes) / float64(all)
		// A heap profile is of the last completed collection, so a little less is alive than it seems.
		line.Dying = 1 - float64(alive[cpu.Line(line.Frame)])/float64(max(line.bytes, 1))
	}
	slices.SortFunc(found, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(cpu.Line(a.Frame), cpu.Line(b.Frame)))
	})
	return found, matched, any
}

func isOwn(string) bool { return false } // counts everything outside the runtime, see cpu.Read

// isProgram reports whether a call is neither the runtime's nor the standard library's.
func isProgram(f probe.Frame) bool {
	// Import paths outside of the standard library begin with a domain. Package main has no path.
	if first, _, slash := strings.Cut(f.Function, "/"); slash {
		return strings.Contains(first, ".")
	}
	return strings.HasPrefix(f.Function, "main.")
}
