package repository

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// stilted matches phrases that nobody would say to a colleague. Beside each is what to say instead.
var stilted = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`hand(s|ed|ing)?( \w+)? out`,                             // allocate, lend
	`t(ake|akes|aking|aken|ook)( \w+)? back`,                 // reclaim, undo
	`let(s|ting)?( it| them)? go( of)?`,                      // release, drop
	`may( not| only)? know`,                                  // must not depend on
	`(say|says|said|saying|tell|tells|told|telling) whether`, // report whether
	`of wh(ich|om)`,                                          // a second sentence
	`hence`,                                                  // so
	`whoever`,                                                // callers, users, anyone who
	`asks? nobody`,                                           //
	`further ado`,                                            //
	`under \w+ feet`,                                         // while it is in use
}, "|") + `)\b`)

// leftOut are the file that lists the phrases, and the results of the benchmarks, whose English is that of the
// program that writes them.
var leftOut = []string{
	`^internal/tests/repository/english_test\.go$`, `^bench/RESULTS\.md$`,
}

// Columns that a line of production code, and one of a page, may have, and those of a tab.
const widest, widestPage, tab = 120, 100, 4

// pages are the files with lines of widestPage, and unwrapped their lines that can't be wrapped:
// tables, badges, pictures and indented code.
var (
	pages     = regexp.MustCompile(`^((README|ARCHITECTURE|CONTRIBUTING)\.md$|docs/)`)
	unwrapped = regexp.MustCompile(`^(\||\[!\[|<|    )`)
)

// TestEnglish: text and comments are plain English, and lines are short.
func TestEnglish(t *testing.T) {
	out := regexp.MustCompile(strings.Join(leftOut, "|"))
	seen := 0
	for _, file := range tracked(t) {
		code := strings.HasSuffix(file, ".go")
		if out.MatchString(file) || !code && !strings.HasSuffix(file, ".md") {
			continue
		}
		seen++
		text := read(t, file)
		short := isOurs(file, text) && !strings.HasSuffix(file, "_test.go")
		page, fenced := pages.MatchString(file), false
		n, last := 0, "" // a phrase may begin on the line before
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			fenced = fenced != strings.HasPrefix(line, "```")
			c := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
			if short && c > widest || page && c > widestPage && !fenced && !unwrapped.MatchString(line) {
				t.Errorf("%s:%d: %d columns", file, n, c)
			}
			line = strings.TrimLeft(line, " \t/")
			both := last + " " + line
			for _, at := range stilted.FindAllStringIndex(both, -1) {
				if at[1] > len(last) {
					t.Errorf("%s:%d: say %q in plainer words", file, n, both[at[0]:at[1]])
				}
			}
			last = line
		}
	}
	if seen < 300 {
		t.Fatalf("only %d files", seen)
	}
}
