package symbols

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/source"
)

// This file finds out which lines use a variable's address, and what these lines mention. For an address:
//
//	uses      places in the code that have it ──▶ mentions  names in the line of each
//	                                                  └──▶ sharedAt  names that all these lines have

// A sourceUses knows which code uses which variables, and what its source mentions.
type sourceUses struct {
	dump      *dump.Dump
	reader    *source.Reader
	text      section
	uses      []user            // of the words in variables, by address
	byPackage map[string][]user // the same by the packages of the functions
	dirs      map[string]string // see dirOf
	every     uintptr           // how many bytes of code lie between the places where dirOf has looked

	frames map[uintptr]runtime.Frame // what line has found, by program counter
	said   map[uintptr]mentions      // what mentions has found, likewise
	shared map[uintptr]names         // what sharedAt has found, by address
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

// readUses reads the program's code.
func readUses(d *dump.Dump, text section) *sourceUses {
	n := &sourceUses{
		dump: d, text: text, byPackage: map[string][]user{}, dirs: map[string]string{}, every: 1 << 20,
		frames: map[uintptr]runtime.Frame{}, said: map[uintptr]mentions{}, shared: map[uintptr]names{},
	}
	// Addresses that aren't in variables are those of constants, functions, or nothing.
	n.reader = source.NewReader(goroot, n.dirOf)
	eachReference(runtime.GOARCH, text, func(pc, to uintptr) {
		if n.segmentOf(to) == nil {
			return
		}
		if f := physical(pc); f != nil {
			path := source.PackagePath(f.Name())
			n.uses = append(n.uses, user{pc, to})
			n.byPackage[path] = append(n.byPackage[path], user{pc, to})
		}
	})
	slices.SortFunc(n.uses, func(a, b user) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.pc, b.pc))
	})
	return n
}

// segmentOf returns the segment of variables that an address is in, nil if it is in none.
func (n *sourceUses) segmentOf(addr uintptr) *dump.Segment {
	for i := range n.dump.Variables {
		if s := &n.dump.Variables[i]; addr-s.Addr < uintptr(len(s.Contents)) {
			return s
		}
	}
	return nil
}

// line returns the innermost function with an instruction, and its line. Where that was inlined, both are
// those of the function that was copied.
func (n *sourceUses) line(u user) (runtime.Frame, source.Line) {
	f, ok := n.frames[u.pc]
	if !ok {
		f = FrameOf(u.pc)
		f.File = n.reader.Locate(f.File)
		n.frames[u.pc] = f
	}
	return f, source.Line{File: f.File, Line: f.Line}
}

// find returns the index of the first use of an address or one behind it.
func (n *sourceUses) find(addr uintptr) int {
	byAddr := func(u user, addr uintptr) int { return cmp.Compare(u.addr, addr) }
	i, _ := slices.BinarySearchFunc(n.uses, addr, byAddr)
	return i
}

// usesAt returns the uses of the addresses from one up to another.
func (n *sourceUses) usesAt(from, to uintptr) []user { return n.uses[n.find(from):n.find(to)] }

// mentions returns the variables that the line of an instruction mentions. If it mentions none, or
// belongs to a function that was inlined, the instruction may use what the function around it
// mentions.
func (n *sourceUses) mentions(u user) mentions {
	m, ok := n.said[u.pc]
	if !ok {
		// The compiler gives some instructions the line of others. Without a mention, all that the
		// function mentions is possible.
		f, line := n.line(u)
		m.all, m.ok = n.reader.Mentions(f.Function, line)
		if f.Func == nil || !n.mentionAny(m.all) {
			m.all = slices.Concat(m.all, n.around(u))
		}
		n.said[u.pc] = m
	}
	return m
}

// around returns what the function whose code has an instruction mentions.
func (n *sourceUses) around(u user) []source.Mention {
	f := physical(u.pc)
	file, _ := f.FileLine(f.Entry())
	return n.reader.MentionsOf(f.Name(), n.reader.Locate(file))
}

// sharedAt returns the variables that all lines mention whose code uses an address.
func (n *sourceUses) sharedAt(addr uintptr) names {
	s, ok := n.shared[addr]
	if ok {
		return s
	}
	// One list of mentions for each place that uses the address.
	s.ok = true
	var lines [][]source.Mention
	for _, u := range n.usesAt(addr, addr+1) {
		m := n.mentions(u)
		lines = append(lines, m.all)
		s.ok = s.ok && m.ok
	}
	if s.all = n.common(lines); len(s.all) == 0 {
		// lines that mention none don't use what is there: the address is in their code by chance
		lines = slices.DeleteFunc(lines, func(mentions []source.Mention) bool { return !n.mentionAny(mentions) })
		s.all = n.common(lines)
	}
	n.shared[addr] = s
	return s
}

// common returns the variables that all lines mention, once each. Names of what isn't a variable of a package,
// such as functions, are left out.
func (n *sourceUses) common(lines [][]source.Mention) (names []source.Name) {
	if len(lines) == 0 {
		return nil
	}
	for _, m := range lines[0] {
		if slices.Contains(names, m.Name) || n.reader.Variable(m.Name) == nil {
			continue
		}
		lacksIt := func(mentions []source.Mention) bool { return !mentioned(mentions, m.Name) }
		if !slices.ContainsFunc(lines, lacksIt) {
			names = append(names, m.Name)
		}
	}
	return names
}

// mentioned reports whether a name is among what is mentioned.
func mentioned(mentions []source.Mention, name source.Name) bool {
	return slices.ContainsFunc(mentions, func(m source.Mention) bool { return m.Name == name })
}

// mentionAny reports whether there is a variable among what is mentioned.
func (n *sourceUses) mentionAny(mentions []source.Mention) bool {
	return slices.ContainsFunc(mentions, func(m source.Mention) bool {
		return n.reader.Variable(m.Name) != nil
	})
}

// anyUse reports whether a condition holds for one of the addresses that functions of a variable's
// package use where they mention the variable.
func (n *sourceUses) anyUse(name source.Name, condition func(addr uintptr) bool) bool {
	return slices.ContainsFunc(n.byPackage[name.Package], func(u user) bool {
		f, line := n.line(u)
		// A line of another package that was inlined here doesn't count: its names are that package's.
		var mentions []source.Mention
		if source.PackagePath(f.Function) == name.Package {
			mentions, _ = n.reader.Mentions(f.Function, line)
		}
		found := mentioned(mentions, name) || (f.Func == nil || len(mentions) == 0) && mentioned(n.around(u), name)
		return found && condition(u.addr)
	})
}

// dirOf returns the directory of a package, by the files of its functions in this program, "" if it has
// none. The linker puts the functions of a package side by side: a look every 4 KiB finds most packages. Small
// ones, and those whose calls are all inlined, take one every 16 bytes, which is how functions are aligned.
func (n *sourceUses) dirOf(path string) string {
	for n.dirs[path] == "" && n.every > 16 {
		n.every /= 256
		for pc := n.text.addr; pc-n.text.addr < uintptr(len(n.text.data)); pc += n.every {
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

// dirname returns the directory of a Go file, "" for one that the compiler has made up.
func dirname(file string) string {
	if i := strings.LastIndexAny(file, `/\`); i >= 0 && strings.HasSuffix(file, ".go") {
		return file[:i]
	}
	return ""
}
