// Package verdict decides what an arena would do for each line that allocates in units of work. It combines the
// measurements with the expressions, and must not depend on how either was found.
package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/holders"
	"github.com/harena-go/arena/scout/internal/library"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// The verdict of a site follows from two answers: do its objects outlive their unit, and has an arena something of its
// form?
//
//	                outlives mostly   outlives now and then   dies
//	an expression   keep              clone                   move
//	a library       keep              clone                   helper, or hoist if it builds the same each time
//	no form         keep              clone                   leave

// A Verdict is what to do about a line.
type Verdict string

const (
	Move   Verdict = "move"   // all of it dies with its unit
	Hoist  Verdict = "hoist"  // it dies, and is built again and equal in each unit: it can be built once
	Helper Verdict = "helper" // it dies, but a library or a map has allocated it: another function serves
	Clone  Verdict = "clone"  // most of it dies: copy the part that stays, where it is kept
	Keep   Verdict = "keep"   // it lives on
	Leave  Verdict = "leave"  // it dies, but an arena has nothing for it: closures, channels, interfaces
)

// Order is the order in which verdicts are shown.
var Order = []Verdict{Move, Helper, Hoist, Clone, Keep, Leave}

// A Finding is a line with a verdict. A line has several if its callers differ.
type Finding struct {
	Verdict  Verdict
	Kind     string // of the allocation, from sites.Kind
	Place    probe.Frame
	Lib      string  // the library's function that has allocated it, "" for none
	Text     string  // the expression, if it is known
	Advice   string  // what to use instead, or where to copy
	Holder   string  // who keeps it
	Way      string  // the whole way to it from a root
	Test     bool    // only a variable of the benchmark itself holds it
	ByHand   bool    // it can be moved, but not as an expression
	Lag      bool    // the next unit replaces the values that stay
	Several  bool    // the line has several expressions of the kind, and the allocating one isn't known
	Objects  float64 // of a unit, a mean
	Bytes    float64 // of a unit, a mean
	Alive    float64 // share of the objects that outlived their units, from 0 to 1
	Units    float64 // number of units for one object that stays: 120 if 1 object in 120 units does
	Sites    []sites.Site
	Exprs    []source.Expr
	Category string  // like Verdict, but "result" for values that only the benchmark holds
	Times    float64 // how many times less CPU Advice takes, as this project has published; 0 if it hasn't
	Replayed bool    // Times was measured on the line's own calls
}

// Saves returns the saved share of a call's CPU. whole is false if only that of its allocations is saved.
func (f *Finding) Saves() (share float64, whole bool) {
	switch {
	case f.Verdict == Hoist && f.Lib != "":
		return 1, true
	case f.Verdict == Helper && f.Times > 0:
		return 1 - 1/f.Times, true
	}
	return 0, false
}

// Served reports whether values of a library or a map die and have a replacement in an arena.
func (f Finding) Served() bool { return f.Verdict == Helper && f.Advice != "" }

// Of returns the findings of a unit, sorted by bytes, largest first. census is nil without a dump, program without a
// source.
//
// Each site gets a verdict by itself. Sites of one line that agree are one finding; its means and shares are computed
// at the end from its sites' sums, since shares can't be added.
func Of(all sites.All, unit string, census *holders.Census, program *source.Program) []Finding {
	type key struct {
		line    string
		kind    sites.Kind
		lib     string
		text    string
		lag     bool
		verdict Verdict
	}
	found := map[key]*Finding{}
	for _, s := range all.Sites {
		f := one(s, all, unit, census, program)
		k := key{sites.Key(s.Place), s.Kind, s.Lib, f.Text, f.Lag, f.Verdict}
		if library.Of(s.Lib) != nil { // one replacement serves all its allocations
			k.kind = sites.Other
		}
		// Callers of one line that get different verdicts make different findings.
		if old := found[k]; old != nil {
			old.add(f)
		} else {
			found[k] = &f
		}
	}
	var findings []Finding
	for _, f := range found {
		var objects, alive int64
		for _, s := range f.Sites {
			objects += s.Objects
			alive += s.AliveObjects
		}
		f.Objects, f.Alive = per(objects, all.Units), per(alive, objects)
		if alive > 0 {
			f.Units = per(all.Units, alive)
		}
		findings = append(findings, *f)
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Lib, b.Lib),
			cmp.Compare(a.Text, b.Text), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Alive, b.Alive))
	})
	return findings
}

// add adds another site of the same line and verdict. The site with the largest share alive gives the holder.
func (f *Finding) add(other Finding) {
	f.Bytes += other.Bytes
	f.Sites = append(f.Sites, other.Sites...)
	if f.Holder == "" || other.Alive > f.Alive {
		f.Holder, f.Way, f.Alive = other.Holder, other.Way, other.Alive
	}
	f.Test = f.Test && other.Test
}

// per returns a ratio, 0 if the divisor is 0.
func per(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// staysMostly is the share of a site's objects or bytes from which on the verdict is keep, rather than clone. A table
// that grows by doubling releases half of its allocations.
const staysMostly = 0.3

// one returns the finding of a single site. Lifetime comes first: a site whose objects stay is kept or cloned,
// regardless of its form. Only for the others the form of the expression decides.
func one(s sites.Site, all sites.All, unit string, census *holders.Census, program *source.Program) Finding {
	units := all.Units
	f := Finding{Kind: s.Kind.String(), Place: s.Place, Lib: s.Lib, Bytes: per(s.Bytes, units),
		Sites: []sites.Site{s}, Alive: per(s.AliveObjects, s.Objects)}
	form := source.FormOf(s.Kind)
	// A library's expression can't be rewritten, so its form doesn't matter.
	if s.Lib != "" {
		form = source.Library
	} else if program != nil {
		f.Exprs = program.At(s.Place.File, s.Place.Line, s.Kind, s.Size)
		for i, e := range f.Exprs {
			if i == 0 {
				f.Text, form = e.Text, e.Form()
			}
			f.Several = f.Several || e.Text != f.Text
		}
	}
	f.ByHand = form == source.ByHand
	// The profile only suggests that objects are alive: stays looks for them in the dump.
	if s.AliveObjects > 0 && stays(&f, &s, unit, all.Inside > 1, census) {
		f.Sites[0] = s
		f.Alive = per(s.AliveObjects, s.Objects)
		// By objects or by bytes: one large buffer among small objects counts, too.
		staying := max(f.Alive, per(s.Alive, s.Bytes))
		// About as many are alive as one unit makes: each unit replaces those of the unit before.
		atMost := s.AliveObjects <= 2*max(s.Objects/units, 1)
		replaced := atMost && s.Objects >= units/2 && s.AliveObjects*units >= s.Objects/2
		// Of a growing slice only the last array stays, and not each unit makes one. It is replaced if as much was
		// alive all the time, though more was made than a buffer that grows by doubling.
		steady := atMost && s.Objects >= units/8 && s.Earlier > 0 && s.AliveObjects <= 2*s.Earlier
		f.Lag = (replaced || steady) && form != source.NoForm
		if staying >= staysMostly || replaced {
			f.Verdict = Keep
			return f
		}
		f.Verdict, f.Advice = Clone, cloneOf(s.Kind)
		return f
	}
	switch form {
	case source.Movable, source.ByHand:
		f.Verdict = Move
	case source.Library:
		f.Verdict, f.Advice = Helper, Replacement(s.Lib, s.Kind)
		lib := library.Called(s.Lib, s.Leaves)
		if lib != nil {
			f.Times = lib.Times
		}
		switch again := s.Lib == "" || lib != nil && lib.Hoist; {
		case lib != nil && lib.With == "":
			f.Verdict = Leave
		case !again:
		case program != nil && program.Same(s.Place.File, s.Place.Line, s.Lib):
			f.Verdict, f.Advice = Hoist, "a variable: it is equal in each unit"
		case s.Lib != "":
			f.Advice = "a variable, if it is equal in each unit"
		}
	default:
		f.Verdict = Leave
	}
	return f
}

// leftOver limits the unreachable objects: a word in a register or on an unused part of a stack has kept them. Objects
// that only cleanups hold are unreachable, too, but there are more of them.
const leftOver = 2

// stays reports whether live objects have outlived their units. It sets their holder in f, and their number in s. Four
// kinds of objects have not:
//
//   - those of units that run at the same time
//   - those below 16 bytes without pointers: the runtime puts several into one block, and one of them keeps all;
//     nothing points to the others' own first byte then
//   - a few unreachable ones; see leftOver
//   - those in a variable of the library that made them, such as encoding/json's cache of types
func stays(f *Finding, s *sites.Site, unit string, atOnce bool, census *holders.Census) bool {
	// Without a dump the profile decides: its live objects have outlived their unit.
	if census == nil {
		return true
	}
	// Set the names of holders in any case: they are shown even if the verdict is move.
	sum := census.Of(*s, unit)
	f.Holder, f.Way, f.Test = sum.Short, sum.Full, sum.Test
	if atOnce && sum.Seen == sum.InUse { // others have ended since the profile, and nothing else leads there
		return false
	}
	if sum.Total == 0 {
		return true
	}
	if sum.Cache > 0 && sum.Cache == sum.Seen { // a library's own cache, from which nobody can copy
		return false
	}
	if sum.Own < sum.Total && !whole(f.Exprs) {
		if sum.Own == 0 {
			return false
		}
		// At least one, since one is its own.
		part := func(n int64) int64 { return max(1, n*int64(sum.Own)/int64(sum.Total)) }
		s.AliveObjects, s.Alive = part(s.AliveObjects), part(s.Alive)
	}
	if sum.Seen == 0 && s.AliveObjects <= leftOver && s.Objects > 20*leftOver {
		return false
	}
	return true
}

// whole reports whether each value of the expressions is known to have a block of its own, so that a pointer into one
// keeps no neighbour.
func whole(exprs []source.Expr) bool {
	return len(exprs) > 0 && !slices.ContainsFunc(exprs, func(e source.Expr) bool { return e.Size < 16 })
}

// cloneOf says how to copy the part that stays.
func cloneOf(k sites.Kind) string {
	switch k {
	case sites.String, sites.Concat:
		return "strings.Clone where it is kept"
	case sites.Make, sites.Append, sites.Moved, sites.Bytes, sites.Runes:
		return "slices.Clone where it is kept"
	}
	return "arena.Clone where it is kept"
}

// Replacement returns the counterpart in an arena of a library's function, or "".
func Replacement(lib string, kind sites.Kind) string {
	if known := library.Of(lib); known != nil {
		return known.With
	}
	name := sites.Short(lib)
	if advice, ok := replacements[name]; ok {
		return advice
	}
	if kind == sites.Map && lib == "" {
		return "collections.Map"
	}
	return ""
}

// replacements are the counterparts in an arena of functions of the standard library, by their short names. They are
// advice for people: -try moves only those that package rewrite knows.
var replacements = map[string]string{}

func init() {
	for advice, names := range map[string]string{
		"strings.FieldsSeq":     "strings.Fields",
		"strings.FieldsFuncSeq": "strings.FieldsFunc",
		"strings.SplitSeq":      "strings.Split strings.SplitN strings.genSplit",
		"strings.SplitAfterSeq": "strings.SplitAfter",
		"collections.Buffer": "strings.Join strings.Repeat strings.Replace strings.ReplaceAll " +
			"strings.(*Builder).Grow strings.(*Builder).grow strings.(*Builder).WriteString " +
			"strings.(*Builder).WriteByte strings.(*Builder).WriteRune strings.(*Builder).Write " +
			"bytes.(*Buffer).grow bytes.(*Buffer).Write bytes.(*Buffer).WriteString bytes.(*Buffer).WriteByte",
		"Arena.AllocBytes and a loop":             "strings.ToLower strings.ToUpper",
		"Arena.AllocString":                       "strings.Clone",
		"Arena.AllocBytesToString":                "bytes.(*Buffer).String",
		"bytes.FieldsSeq":                         "bytes.Fields",
		"bytes.SplitSeq":                          "bytes.Split bytes.genSplit",
		"arena.CopySlice":                         "bytes.Clone slices.Clone",
		"arena.Collect":                           "slices.Collect",
		"arena.Grow":                              "slices.Grow",
		"collections.Map":                         "maps.Clone",
		"Arena.Sprintf":                           "fmt.Sprintf fmt.Sprint fmt.Sprintln fmt.Appendf",
		"strconv.AppendInt to Arena.AllocBytes":   "strconv.Itoa strconv.FormatInt",
		"strconv.AppendFloat to Arena.AllocBytes": "strconv.FormatFloat",
		"strconv.AppendQuote to Arena.AllocBytes": "strconv.Quote",
		"collections.List":                        "list.(*List).PushBack list.(*List).PushFront list.New",
	} {
		for name := range strings.FieldsSeq(names) {
			replacements[name] = advice
		}
	}
}
