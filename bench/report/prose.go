package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/harena-go/arena/bench/suite"
)

// titles are of the groups whose names are too short for a heading.
var titles = map[string]string{
	"fixed":    "One object of a fixed size",
	"array":    "Arrays, in bytes per second",
	"string":   "Strings",
	"slice":    "Slices",
	"append":   "Slices that grow",
	"raw":      "Raw memory",
	"lifetime": "Lifetimes",
	"allocs":   "Allocations of the Go heap",

	"first":   "The first time",
	"typed":   "To structs",
	"any":     "To any",
	"object":  "To any, as each library likes its objects",
	"members": "Few members wanted",
	"handler": "A handler: body to value",
	"write":   "From structs",
	"server":  "What servers get, to structs",

	"server-any": "What servers get, to any",

	"decode": "Decode",
	"read":   "Decode, and read all fields",

	"row": "One row of a query",
}

func groupTitle(name string) string {
	return cmp.Or(titles[name], name, "All numbers")
}

// legend says how to read the tables.
const legend = "Medians of the rounds. ± is how far the interval in which the median lies with 95% confidence " +
	"reaches to its wider side; where there were too few rounds for that, " +
	"the interval goes from the lowest value to the highest and the confidence that was reached is given. A ratio " +
	"says how many times better than the base, the peer without a ratio, a peer is: " +
	"the median of the rounds' ratios. “~”, and a pale bar or mark: it may be noise. With four rounds or more that " +
	"means that the difference is not significant; with fewer no test can tell, and the range of the rounds is given."

// method is how it was measured.
func (r *Report) method() []string {
	return []string{
		"Each suite and peer runs in a process of its own, so that the peaks, the counters and the garbage belong to " +
			"that peer alone. The peers take turns, round by round" +
			roundsOf(r.Machine) + ", so that whatever else the machine does hits all of them.",
		"What else is live on the heap is fixed and said with each suite. Each measurement is warmed up first; every " +
			"object is written to and its address stored where the compiler can't see that nobody reads it.",
		"A ratio is the median of the rounds' ratios, not the ratio of two medians: what slows a round slows both " +
			"sides of it. Intervals are of the median, without any assumption about how the values are distributed; " +
			"whether two peers differ is decided by the Mann-Whitney test at 5% (golang.org/x/perf/benchmath). With " +
			"fewer than four rounds it can't find a difference, however large.",
		"The outputs of all peers are checked: that objects don't overlap and hold what was stored, and that " +
			"programs give the same answers. What a peer doesn't do, such as to zero its memory or to let the " +
			"collector see its pointers, is said in its rows and in the remarks.",
	}
}

func roundsOf(m Machine) string {
	if m.Rounds > 1 {
		return fmt.Sprintf(" (%d of them)", m.Rounds)
	}
	return ""
}

// caveats are what the numbers don't say.
var caveats = []string{
	"One machine, one day. Compare ratios, and only within one run: on a busy or virtual machine the same code can " +
		"be three times as slow an hour later. Noise is shown, not removed.",
	"The micro suites are synthetic: a loop that does nothing else, with caches and branch predictors on its side. " +
		"They say what the fast path costs, not what a program gains.",
	"The collector runs beside the program. On a machine with idle cores it costs processor time but little wall " +
		"time; look at both.",
	"GOGC and GOMEMLIMIT decide how often the collector runs. They are left as they are in the environment, and " +
		"noted if they are set.",
	"A request that allocates a handful of objects gains nothing from an arena: the suite “small” is there to show " +
		"where that ends.",
	"These tables are made by the project that makes one of the peers. Every number can be had again with the " +
		"command that is given under “machine”.",
}

// A described peer is one that took part, with what a reader must know of it.
type described struct {
	suite.Peer
	Version string
	Remarks []string
	Ours    bool
}

// described are the peers that took part in any suite, those without a name of
// their own only if something is remarked on them.
func (r *Report) described() []described {
	part := map[string]bool{}
	for _, m := range r.Results {
		part[m.Peer] = true
	}
	remarks := map[string][]string{}
	for _, m := range r.Remarks {
		if !slices.Contains(remarks[m.Peer], m.Text) {
			remarks[m.Peer] = append(remarks[m.Peer], m.Text)
		}
	}
	var ds []described
	for _, p := range suite.All() {
		if part[p.Name] || len(remarks[p.Name]) > 0 {
			ds = append(ds, described{p, r.Machine.Versions[p.Module], remarks[p.Name], suite.Ours(p.Name)})
		}
		delete(remarks, p.Name)
	}
	for _, m := range r.Remarks {
		if texts := remarks[m.Peer]; texts != nil {
			ds = append(ds, described{Peer: suite.Peer{Name: m.Peer}, Remarks: texts})
			delete(remarks, m.Peer)
		}
	}
	return ds
}

// footnotes numbers the remarks in some rows.
type footnotes struct{ Texts []string }

// mark is the number of a remark, "" for none.
func (f *footnotes) mark(peer, text string) string {
	if text == "" {
		return ""
	}
	text = peer + ": " + text
	i := slices.Index(f.Texts, text)
	if i < 0 {
		f.Texts = append(f.Texts, text)
		i = len(f.Texts) - 1
	}
	return fmt.Sprint(i + 1)
}
