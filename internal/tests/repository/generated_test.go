package repository

import (
	"path"
	"strings"
	"testing"
)

// mostGenerated is how many lines of Go that programs wrote may be in git. Code that can be generated when it is needed
// isn't kept.
const mostGenerated = 6000

// TestGenerated: .gitattributes marks all Go code that says it is generated, and there isn't much of it.
func TestGenerated(t *testing.T) {
	used := map[string]bool{} // patterns
	for line := range strings.Lines(read(t, ".gitattributes")) {
		if pattern, ok := strings.CutSuffix(strings.TrimSpace(line), " linguist-generated"); ok {
			used[pattern] = false
		}
	}
	lines := 0
	for _, name := range tracked(t) {
		marked := false
		for pattern := range used {
			if matches(t, pattern, name) {
				marked, used[pattern] = true, true
			}
		}
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		text := read(t, name)
		generated := isGenerated(text)
		if generated {
			lines += strings.Count(text, "\n")
		}
		if generated != marked {
			t.Errorf("%s: it says that it is generated: %v, .gitattributes says so: %v", name, generated, marked)
		}
	}
	for pattern, ok := range used {
		if !ok {
			t.Errorf(".gitattributes: %s matches nothing", pattern)
		}
	}
	if lines > mostGenerated || lines == 0 {
		t.Errorf("%d generated lines of Go, at most %d", lines, mostGenerated)
	}
}

// matches reports whether a pattern of .gitattributes matches a file: all of its name, or its last element if there
// is no slash in the pattern.
func matches(t *testing.T, pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, err := path.Match(strings.TrimPrefix(pattern, "/"), name)
	if err != nil || strings.Contains(pattern, "**") {
		t.Fatalf(".gitattributes: %s isn't understood: %v", pattern, err)
	}
	return ok
}
