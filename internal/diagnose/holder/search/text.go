package search

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// This file describes paths in words. Unknown parts are called unknown. A step has up to four parts:
//
//	*main.Session .order (offset 16), allocated by main.put (cache.go:31)
//	type          part with the pointer            origin

// NamesHint tells users how to keep the names of variables.
const NamesHint = `go test -o=FILE, -c or -ldflags="-s=0 -w=0" keeps the names and types of variables`

// String describes the path with a line for each step, the root first.
func (p Path) String() string { return "held by: " + p.Text() }

// Text is String without the introduction.
func (p Path) Text() string {
	var lines []string
	for _, s := range p.Steps {
		lines = append(lines, s.String())
	}
	text := strings.Join(lines, "\n  -> ")
	// A reader can do something about a variable without a name.
	if s := p.Steps[0]; s.Kind == Global && s.Name == "" {
		text += "\n  (" + NamesHint + ")"
	}
	return text
}

// Line describes the path in one line, with less detail. The root is first, as in String.
func (p Path) Line() string {
	var words []string
	for _, s := range p.Steps {
		words = append(words, s.brief())
	}
	return strings.Join(words, " <- ")
}

// key is the same for paths that differ only in addresses, indexes and goroutines.
func (p Path) key() string {
	// The target is the same for all. The rest is compared as text, without parts that vary by chance.
	var b strings.Builder
	for _, s := range p.Steps[:len(p.Steps)-1] {
		s.Offset, s.Field = 0, ""
		switch s.Kind {
		case Stack, StackWord, Defer:
			s.Name = ""
		case Object:
			s.Addr = 0
		}
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

// String describes the step in a line.
func (s Step) String() string {
	// Kinds without a case here have a name at most.
	text := s.Kind.String()
	switch s.Kind {
	case Omitted:
		return fmt.Sprintf("... %s more objects ...", s.Name)
	case Target:
		text += fmt.Sprintf(" at %#x", s.Addr) + s.at(s.Offset > 0)
	case Global:
		text = s.global() + s.part()
	case Map, Channel:
		if s.Type != "" {
			text += " (" + s.Type + ")"
		}
		text += s.part()
	case Object:
		text = s.object()
	default:
		if s.Name != "" {
			text += " " + s.Name
		}
	}
	return text + s.where()
}

// global names a variable and its type.
func (s Step) global() string {
	switch {
	case s.Name == "":
		return fmt.Sprintf("global at %#x", s.Addr)
	case s.Type == "":
		return "global " + s.Name
	default:
		return "global " + s.Name + " (" + s.Type + ")"
	}
}

// object names an object by its type, or else by its place.
func (s Step) object() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Type == "":
		return fmt.Sprintf("heap object of %d bytes at %#x (type unknown), offset %d", s.Size, s.Addr, s.Offset)
	default:
		return s.Type + s.part()
	}
}

// part returns the part of the holder with the pointer: its field, or else the offset, except for maps and channels.
func (s Step) part() string {
	// Beside a field, the offset is shown only if it counts from a shown address.
	if s.Field == "" {
		return s.at(s.Offset > 0 && s.Kind == Global)
	}
	return " " + s.Field + s.at(s.Kind == Object || s.Kind == Global)
}

// at returns an offset as text, if it is to be shown.
func (s Step) at(shown bool) string {
	if !shown {
		return ""
	}
	return fmt.Sprintf(" (offset %d)", s.Offset)
}

// brief returns the step's part of a line. Types of maps and addresses of objects are left out.
func (s Step) brief() string {
	switch s.Kind {
	case Global:
		if s.Name == "" {
			return fmt.Sprintf("global at %#x", s.Addr)
		}
		return "global " + s.Name + s.Field
	case Map:
		return "map"
	case Object:
		if s.Type != "" {
			return strings.TrimPrefix(s.Type, "*") + s.Field
		}
		if s.Name != "" {
			return s.Name
		}
		return fmt.Sprintf("heap object of %d bytes", s.Size) + allocatedAt(s.Where)
	// In one line the holding function is enough, without its caller.
	case Stack, StackWord:
		if len(s.Where) > 0 {
			return s.Kind.String() + " " + s.Name + " in " + lines(s.Where[:1], "")
		}
	case Omitted:
		return "..."
	case Target:
		return "escaped value" + allocatedAt(s.Where)
	}
	return strings.TrimSpace(s.Kind.String() + " " + s.Name)
}

// allocatedAt returns the innermost line of a stack that allocated something.
func allocatedAt(where []runtime.Frame) string {
	if len(where) == 0 || where[0].File == "" {
		return ""
	}
	return fmt.Sprintf(" allocated at %s:%d", filepath.Base(where[0].File), where[0].Line)
}

// String returns the first words of a step of the kind.
func (k Kind) String() string { return kindNames[k] }

// kindNames has the first words of a step of each kind. A name may follow.
var kindNames = [...]string{
	Global:    "global",
	Stack:     "stack of",
	StackWord: "perhaps the stack of",
	Defer:     "deferred call of",
	Panic:     "panic",
	Finalizer: "finalizer",
	OtherRoot: "root",
	Unseen:    "something that the heap dump doesn't show, such as a cleanup's argument",
	Object:    "heap object",
	Closure:   "closure",
	Map:       "map entry",
	Channel:   "channel",
	Timer:     "timer",
	Omitted:   "...",
	Target:    "the escaped value",
}

// where relates the lines of Where to the holder.
func (s Step) where() string {
	if len(s.Where) == 0 {
		return ""
	}
	switch s.Kind {
	case Global:
		return ", used by " + lines(s.Where, " and ")
	case Stack, StackWord:
		return ", in " + lines(s.Where, " called by ")
	case Defer, Finalizer:
		return ": " + lines(s.Where[:1], "")
	default:
		return ", allocated by " + lines(s.Where[:1], "")
	}
}

// lines lists functions with the lines in them, without directories.
func lines(frames []runtime.Frame, separator string) string {
	var all []string
	for _, f := range frames {
		text := f.Function
		if f.File != "" {
			text += fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		all = append(all, text)
	}
	return strings.Join(all, separator)
}
