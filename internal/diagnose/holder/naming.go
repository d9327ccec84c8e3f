package holder

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/source"
)

// This file finds the names of variables in programs without symbols. The
// lines whose code uses an address mention the variable that is there, and may mention
// others. It is one that all of them mention, and of a type with a pointer at the place in
// question and with pointers and other words where the GC's map of all variables has them.
//
// That isn't proof yet. What a pointer variable is known to point to is used at
// lines that mention the pointer only, as after p := &x, and there could be another variable
// on such a line. But that one is used somewhere, too: a variable
// that could as well be elsewhere isn't named. If several are left, all are: what is
// said may be vague, and must not be wrong.

// A naming knows which code uses which variables.
type naming struct {
	*dump
	reader    *source.Reader
	text      section
	uses      []user            // of the words in variables with pointers, by address
	byPackage map[string][]user // the same by the packages of the functions
	dirs      map[string]string // see dirOf

	said   map[uintptr]mentions // what mentions has found, by program counter
	shared map[uintptr]names    // what sharedAt has found, by address
}

// mentions is what a line mentions; ok is false if it can't be read.
type mentions struct {
	all []source.Mention
	ok  bool
}

// names is what several lines mention; ok is false if not all can be read.
type names struct {
	all []source.Name
	ok  bool
}

// A spot is a variable and where it may be.
type spot struct {
	*source.Variable
	starts []uintptr // none if its size is unknown
}

// newNaming reads the program's code.
func newNaming(d *dump, text section) *naming {
	n := &naming{dump: d, text: text, byPackage: map[string][]user{}, said: map[uintptr]mentions{}, shared: map[uintptr]names{}}
	n.reader = source.NewReader(goroot, n.dirOf)
	eachReference(runtime.GOARCH, text, func(pc, to uintptr) {
		if f := physical(pc); f != nil && n.segmentOf(to) != nil {
			path := source.PackagePath(f.Name())
			n.uses = append(n.uses, user{pc, to})
			n.byPackage[path] = append(n.byPackage[path], user{pc, to})
		}
	})
	slices.SortFunc(n.uses, func(a, b user) int { return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.pc, b.pc)) })
	return n
}

// physical returns the function that has an instruction, which may be of another that was
// copied into it.
func physical(pc uintptr) *runtime.Func {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return nil
	}
	return runtime.FuncForPC(f.Entry())
}

// segmentOf returns the segment of variables that an address is in.
func (n *naming) segmentOf(addr uintptr) *segment {
	for i := range n.variables {
		if s := &n.variables[i]; addr-s.addr < uintptr(len(s.contents)) {
			return s
		}
	}
	return nil
}

// line returns the innermost function with an instruction, and its line.
func (n *naming) line(u user) (runtime.Frame, source.Line) {
	f := frameOf(u.pc)
	return f, source.Line{File: n.reader.Locate(f.File), Line: f.Line}
}

// maxUses is how many addresses before one in a variable, and behind, are looked at.
const maxUses = 16

// variablesAt returns what the variable at an address may be called.
func (n *naming) variablesAt(addr uintptr) []spot {
	i := n.find(addr + 1)
	for range maxUses {
		if i == 0 {
			break
		}
		to := n.uses[i-1].addr
		if found := n.among(to, addr); len(found) > 0 {
			return found
		}
		i = n.find(to)
	}
	i = n.find(addr + 1)
	for range maxUses {
		if i == len(n.uses) {
			break
		}
		to := n.uses[i].addr
		if found := n.among(to, addr); len(found) > 0 {
			return found
		}
		i = n.find(to + 1)
	}
	return nil
}

// find returns the index of the first use of an address or one behind it.
func (n *naming) find(addr uintptr) int {
	i, _ := slices.BinarySearchFunc(n.uses, addr, func(u user, addr uintptr) int { return cmp.Compare(u.addr, addr) })
	return i
}

// usesAt returns the uses of the addresses from one up to another.
func (n *naming) usesAt(from, to uintptr) []user { return n.uses[n.find(from):n.find(to)] }

// among returns the variables that may be at an address, as lines mention them that use another,
// or the same. It returns none if one of them might be that is not known enough.
func (n *naming) among(to, addr uintptr) (found []spot) {
	for _, name := range n.sharedAt(to).all {
		v := n.reader.Variable(name)
		switch s := (spot{v, n.starts(v, to)}); {
		case !v.Known, v.Size == 0 && to != addr:
			return nil
		case v.Size > 0 && !s.covers(addr), n.elsewhere(s, addr):
		default:
			found = append(found, s)
		}
	}
	return found
}

// covers tells whether an address is in the variable, wherever that is.
func (s spot) covers(addr uintptr) bool {
	outside := func(start uintptr) bool { return addr-start >= s.Size }
	return len(s.starts) > 0 && !slices.ContainsFunc(s.starts, outside)
}

// mentions returns the variables that the line of an instruction mentions. Where it mentions none,
// or belongs to a function that was copied into others, it may use those that are mentioned by the
// function that it is a part of.
func (n *naming) mentions(u user) mentions {
	m, ok := n.said[u.pc]
	if !ok {
		f, line := n.line(u)
		m.all, m.ok = n.reader.Mentions(f.Function, line)
		if f.Func == nil || !n.mentionAny(m.all) {
			m.all = slices.Concat(m.all, n.around(u))
		}
		n.said[u.pc] = m
	}
	return m
}

// around returns the variables that the function with an instruction mentions.
func (n *naming) around(u user) []source.Mention {
	f := physical(u.pc)
	file, _ := f.FileLine(f.Entry())
	return n.reader.MentionsOf(f.Name(), n.reader.Locate(file))
}

// sharedAt returns the variables that all lines mention that use an address.
func (n *naming) sharedAt(addr uintptr) names {
	s, ok := n.shared[addr]
	if ok {
		return s
	}
	s.ok = true
	var lines [][]source.Mention
	for _, u := range n.usesAt(addr, addr+1) {
		m := n.mentions(u)
		lines = append(lines, m.all)
		s.ok = s.ok && m.ok
	}
	if s.all = n.common(lines); len(s.all) == 0 {
		// lines that mention none don't use what is there: it occurs in them by chance
		lines = slices.DeleteFunc(lines, func(mentions []source.Mention) bool { return !n.mentionAny(mentions) })
		s.all = n.common(lines)
	}
	n.shared[addr] = s
	return s
}

// common returns the variables that all lines mention.
func (n *naming) common(lines [][]source.Mention) (names []source.Name) {
	if len(lines) == 0 {
		return nil
	}
	for _, m := range lines[0] {
		lacksIt := func(mentions []source.Mention) bool { return !mentioned(mentions, m.Name) }
		if !slices.Contains(names, m.Name) && !slices.ContainsFunc(lines, lacksIt) && n.reader.Variable(m.Name) != nil {
			names = append(names, m.Name)
		}
	}
	return names
}

func mentioned(mentions []source.Mention, name source.Name) bool {
	return slices.ContainsFunc(mentions, func(m source.Mention) bool { return m.Name == name })
}

// mentionAny tells whether there is a variable among what is mentioned.
func (n *naming) mentionAny(mentions []source.Mention) bool {
	return slices.ContainsFunc(mentions, func(m source.Mention) bool { return n.reader.Variable(m.Name) != nil })
}

// maxWords is how many words of a part of a variable a use may be of.
const maxWords = 1 << 10

// starts returns where a variable may start of which an address is used.
func (n *naming) starts(v *source.Variable, addr uintptr) (starts []uintptr) {
	if v.Size == 0 {
		return nil
	}
	offsets := []uintptr{0}
	for _, u := range n.usesAt(addr, addr+1) {
		for _, m := range n.mentions(u).all {
			if m.Name == v.Name {
				from, to := v.Part(m.Fields)
				for o := from + addr%n.wordSize; o < to && o < from+maxWords*n.wordSize; o += n.wordSize {
					offsets = append(offsets, o)
				}
			}
		}
	}
	slices.Sort(offsets)
	for _, o := range slices.Compact(offsets) {
		if n.fits(v, addr-o) {
			starts = append(starts, addr-o)
		}
	}
	return starts
}

// fits tells whether a variable may start at an address: its pointers are where pointers
// are, and all that is used of it is by lines that mention it.
func (n *naming) fits(v *source.Variable, start uintptr) bool {
	s := n.segmentOf(start)
	if s == nil || start%n.wordSize != 0 || start-s.addr+v.Size > uintptr(len(s.contents)) {
		return false
	}
	if n.isLiteral(v, start) {
		return false
	}
	var want []uintptr
	v.Pointers(func(offset uintptr) { want = append(want, start+offset) })
	if !slices.Equal(want, n.pointersIn(s, start, start+v.Size)) {
		return false
	}
	for _, u := range n.usesAt(start, start+v.Size) {
		all := n.mentions(u).all
		ofPart := func(m source.Mention) bool {
			from, to := v.Part(m.Fields)
			return m.Name == v.Name && (u.addr == start || u.addr-start-from < to-from)
		}
		if !slices.ContainsFunc(all, ofPart) && n.mentionAny(all) {
			return false
		}
	}
	return true
}

// isLiteral tells whether a variable at an address would be what it points to itself, as with
// var x = &T{m: f()}: the line that declares it uses both.
func (n *naming) isLiteral(v *source.Variable, start uintptr) bool {
	size := v.Pointee()
	if size == 0 {
		return false
	}
	at, to := n.pointerBefore(start)
	return at != 0 && at != start && start-to < size && slices.Contains(n.sharedAt(at).all, v.Name)
}

// pointersIn returns the addresses of the pointers between two in a segment.
func (n *naming) pointersIn(s *segment, from, to uintptr) (all []uintptr) {
	r := reader{data: n.data, pos: s.fields}
	for {
		offset, ok := r.field(n.wordSize)
		if !ok || s.addr+offset >= to {
			return all
		}
		if s.addr+offset >= from {
			all = append(all, s.addr+offset)
		}
	}
}

// elsewhere tells whether a variable might be somewhere else than around an
// address: where something is used by lines that mention it, unless that must be another
// variable.
func (n *naming) elsewhere(s spot, addr uintptr) bool {
	around := func(start uintptr) bool { return addr-start < s.Size }
	return n.anyUse(s.Name, func(at uintptr) bool {
		if at == addr || slices.ContainsFunc(s.starts, func(start uintptr) bool { return at-start < s.Size && around(start) }) {
			return false
		}
		names := n.sharedAt(at).all
		if !slices.Contains(names, s.Name) || s.Size > 0 && len(n.starts(s.Variable, at)) == 0 {
			return false
		}
		homeless := func(name source.Name) bool { return name != s.Name && !n.hasPlace(name) }
		return !slices.ContainsFunc(names, homeless)
	})
}

// hasPlace tells whether there is an address that only one variable can be at.
func (n *naming) hasPlace(name source.Name) bool {
	return n.anyUse(name, func(at uintptr) bool {
		names := n.sharedAt(at).all
		return len(names) == 1 && names[0] == name
	})
}

// anyUse tells whether a condition holds for an address that the functions of a variable's
// package use where they mention it.
func (n *naming) anyUse(name source.Name, condition func(addr uintptr) bool) bool {
	return slices.ContainsFunc(n.byPackage[name.Package], func(u user) bool {
		f, line := n.line(u)
		var mentions []source.Mention
		if source.PackagePath(f.Function) == name.Package {
			mentions, _ = n.reader.Mentions(f.Function, line)
		}
		if f.Func == nil || len(mentions) == 0 {
			mentions = slices.Concat(mentions, n.around(u))
		}
		return mentioned(mentions, name) && condition(u.addr)
	})
}

// dirOf returns the directory of a package that has functions in this program, "" if
// it has none.
func (n *naming) dirOf(path string) string {
	if n.dirs == nil {
		n.dirs = map[string]string{}
		for pc := n.text.addr; pc-n.text.addr < uintptr(len(n.text.data)); pc += 16 {
			f := runtime.FuncForPC(pc)
			if f == nil {
				continue
			}
			if path := source.PackagePath(f.Name()); n.dirs[path] == "" {
				file, _ := f.FileLine(f.Entry())
				n.dirs[path] = dirname(n.reader.Locate(file))
			}
		}
	}
	return n.dirs[path]
}

// dirname returns the directory of a Go file, "" of one that the compiler has made up.
func dirname(file string) string {
	if i := strings.LastIndexAny(file, `/\`); i >= 0 && strings.HasSuffix(file, ".go") {
		return file[:i]
	}
	return ""
}
