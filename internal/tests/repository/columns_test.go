package repository

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Columns that a line of production code, and one of a page, may have, and those of a tab.
const widest, widestPage, tab = 120, 100, 4

// pages are the files with lines of widestPage, and unwrapped their lines that can't be wrapped:
// tables, badges, pictures and indented code.
var (
	pages     = regexp.MustCompile(`^((README|ARCHITECTURE|\.github/[A-Z]+)\.md$|docs/.*\.md$)`)
	unwrapped = regexp.MustCompile(`^(\||\[!\[|<|    )`)
)

// TestColumns: lines are short.
func TestColumns(t *testing.T) {
	seen := 0
	for _, file := range tracked(t) {
		code, page := strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"), pages.MatchString(file)
		if !code && !page {
			continue
		}
		text := read(t, file)
		code = code && isOurs(file, text)
		seen++
		n, fenced := 0, false
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			fenced = fenced != strings.HasPrefix(line, "```")
			c := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
			if code && c > widest || page && c > widestPage && !fenced && !unwrapped.MatchString(line) {
				t.Errorf("%s:%d: %d columns", file, n, c)
			}
		}
	}
	if seen < 300 {
		t.Fatalf("only %d files", seen)
	}
}
