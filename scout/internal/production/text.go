package production

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/harena-go/arena/scout/internal/sites"
)

// This file shows a first look. It says at most, since two profiles can't tell what dies with its request.

// worth is the share of CPU that must be saved at least for an arena to be worth its work.
const worth = 0.06

// shown is how many lines are.
const shown = 8

// Text writes the look on a screen.
func (l *Look) Text(w io.Writer) {
	fmt.Fprintf(w, "process %s: allocator %.0f%%, GC %.0f%% of CPU; %.1f%% of all bytes since its start are "+
		"dead\n", l.From, 100*l.Allocator, 100*l.GC, 100*l.Dying)
	for i, line := range l.Lines {
		// Below half a percent the lines are noise of the sampling.
		if i == shown || line.Share < 0.005 {
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
	// As a share of CPU, not as a ratio: that is what a profile shows.
	saved := 1 - 1/l.AtMost
	if saved < worth {
		fmt.Fprintf(w, "expect  no: the GC takes %.0f%%, the allocator %.0f%%, an arena would save %.0f%% of CPU at "+
			"most.%s\n", 100*l.GC, 100*l.Allocator, 100*saved, l.instead())
		return
	}
	fmt.Fprintf(w, "expect  %.2fx less CPU at most, if all that dies were in arenas. How much of it dies with a "+
		"unit of work, arenascout says of a benchmark\n", l.AtMost)
}

// instead names the line with most bytes, if it has many.
func (l *Look) instead() string {
	if len(l.Lines) == 0 || l.Lines[0].Share < 0.1 {
		return ""
	}
	f := l.Lines[0]
	return fmt.Sprintf(" Preallocate %s:%d instead, which has %.0f%% of the bytes", filepath.Base(f.File), f.Line,
		100*f.Share)
}
