package arena

import (
	"fmt"
	"strconv"
)

// This file holds how numbers and names are written, for messages and statistics. It may not
// know whose they are.

// utoa formats a number.
func utoa(n uintptr) string { return strconv.FormatUint(uint64(n), 10) }

// quoted returns a name in quotes behind a space, or nothing: "arena" + quoted("x") is
// arena "x".
func quoted(name string) string {
	if name == "" {
		return ""
	}
	return " " + strconv.Quote(name)
}

// count formats a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size formats a number of bytes with three digits or so, in binary units.
func size(n int) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d B", n)
	case n < 10<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
