package production

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/harena-go/arena/scout/internal/sites"
)

// This file shows a first look. It says "at most", since two profiles can't show what dies with its request.

// worth is the least saved share of CPU for which an arena is worth its work.
const worth = 0.06

// Limits of the output.
const (
	shown  = 8     // lines
	units  = 3     // units of work
	noise  = 0.005 // share of all bytes, or of CPU, below which a line or a group is noise of the sampling
	places = 2     // lines of a group
)

// Text writes the look on a screen.
func (l *Look) Text(w io.Writer) {
	fmt.Fprintf(w, "process %s: allocator %.0f%%, GC %.0f%% of CPU; %.1f%% of all bytes since its start are "+
		"dead\n", l.From, 100*l.Allocator, 100*l.GC, 100*l.Dying)
	n := 0
	for _, u := range l.Units {
		if n == units || u.Share < 10*noise && u.Saves() < 4*noise {
			break
		}
		n++
		u.text(w)
	}
	l.hoist(w)
	for i, line := range l.Lines {
		if i == shown || line.Share < noise {
			break
		}
		head := "        "
		if i == 0 {
			head = "lines   "
		}
		fmt.Fprintf(w, "%s%5.1f%% of bytes, %5.1f%% of them dead, %4.1f%% of CPU  %s %s:%d\n", head, 100*line.Share,
			100*line.Dying, 100*line.CPU,
			sites.Short(line.Function), filepath.Base(line.File), line.Line)
	}
	// Profiles show shares of CPU, not ratios.
	saved := 1 - 1/l.AtMost
	if saved < worth {
		fmt.Fprintf(w, "expect  no: the GC takes %.0f%%, the allocator %.0f%%, and arenas and their decoders would "+
			"save %.0f%% of CPU at most.%s\n", 100*l.GC, 100*l.Allocator, 100*saved, l.instead())
		return
	}
	fmt.Fprintf(w, "expect  %.2fx less CPU at most%s. How much of it dies with a unit of work, arenascout says of a "+
		"benchmark\n", l.AtMost, l.published())
}

// text writes a unit and its groups.
func (u Unit) text(w io.Writer) {
	name := "outside of the program's own functions"
	if u.Function != "" {
		name = sites.Short(u.Function)
	}
	if u.Caller != "" {
		name += ", called by " + u.Caller
	}
	fmt.Fprintf(w, "unit    %s: %.0f%% of bytes, %.0f%% of CPU\n", name, 100*u.Share, 100*u.CPU)
	for _, g := range u.Groups {
		if g.Hoist || g.Share < 2*noise && g.Saves < noise {
			continue
		}
		fmt.Fprintf(w, "        %5.1f%% of bytes, %4.1f%% of CPU  %s%s\n", 100*g.Share, 100*g.CPU, g.Name, g.means())
	}
}

// means describes the replacement, its savings, and its callers.
func (g Group) means() string {
	var b strings.Builder
	if g.With != "" {
		fmt.Fprintf(&b, " -> %s saves %.0f%% of CPU", g.With, 100*g.Saves)
		if g.Times > 0 {
			fmt.Fprintf(&b, " by its published %.1fx", g.Times)
		}
	}
	for i, p := range g.Places {
		b.WriteString([]string{": ", ", "}[min(i, 1)])
		if i == places {
			b.WriteString("...")
			break
		}
		b.WriteString(p.text())
	}
	return b.String()
}

// text describes a line and its callee.
func (p Place) text() string {
	at := ""
	if p.File != "" {
		at = fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
	}
	return strings.TrimSpace(at + " " + p.Calls)
}

// hoist writes the values that units build again.
func (l *Look) hoist(w io.Writer) {
	head := "hoist   "
	for _, u := range l.Units {
		for _, g := range u.Groups {
			if !g.Hoist || u.Function == "" || g.Share < noise && g.Saves < noise {
				continue
			}
			for i, p := range g.Places {
				if i == places || p.Share < noise && i > 0 {
					break
				}
				fmt.Fprintf(w, "%s%5.1f%% of bytes  %s, again in each %s: if it is equal each time, build it once, in "+
					"a variable\n", head, 100*p.Share, p.text(), sites.Short(u.Function))
				head = "        "
			}
		}
	}
}

// published says how much of the savings comes from published ratios.
func (l *Look) published() string {
	saved, own := 0.0, 0.0
	for _, u := range l.Units {
		for _, g := range u.Groups {
			switch {
			case g.Times > 0 || g.Hoist:
				saved += g.Saves
			default:
				own += g.Saves
			}
		}
	}
	if saved < noise {
		return ", if all that dies were in arenas"
	}
	return fmt.Sprintf(": decoders, and what may be built once, save %.0f%% of CPU, own lines in arenas %.0f%%",
		100*saved, 100*own)
}

// instead names the line with most bytes, if it has many, and could preallocate.
func (l *Look) instead() string {
	if len(l.Lines) == 0 || l.Lines[0].Share < 0.1 || !l.Lines[0].Grows {
		return ""
	}
	f := l.Lines[0]
	return fmt.Sprintf(" Preallocate %s:%d instead, which has %.0f%% of the bytes", filepath.Base(f.File), f.Line,
		100*f.Share)
}
