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

// leftOut are the files whose sentences are still to be rewritten.
var leftOut = []string{
	`^[a-z0-9_]+\.go$`, // package arena
	`^arenadebug/`,
	`^arenajson/`,
	`^arenavet/`,
	`^bench/`,
	`^contrib/arenaproto/`,
	`^internal/diagnose/holder/`,
	`^internal/export/`,
	`^scout/`,
	`^internal/tests/repository/english_test\.go$`, // lists the phrases; stays
}

// A line of production code fits a screen: it has at most this many columns, a tab having four.
const widest, tab = 120, 4

// TestEnglish: text and comments are plain English, and lines of production code are short.
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
		n, last := 0, "" // a phrase may begin on the line before
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if c := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t"); short && c > widest {
				t.Errorf("%s:%d: %d columns, at most %d", file, n, c, widest)
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
