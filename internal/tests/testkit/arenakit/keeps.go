package arenakit

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A Use passes a text to a library, and returns a function that reads the library's text.
type Use func(s string) (read func() string)

// Keeps passes texts of an arena to a library, reuses the memory of the texts, and compares the result with the table
// in docs/promises.md: each row of the library is a use.
func Keeps(t *testing.T, library string, uses map[string]Use) {
	rows := keptRows(t, library)
	for what := range uses {
		if rows[what] == "" {
			t.Errorf("docs/promises.md doesn't say if %s keeps %q", library, what)
		}
	}
	if !testkit.Reuses {
		t.Skip("this build doesn't reuse memory at once")
	}
	for what, says := range rows {
		use := uses[what]
		if use == nil {
			t.Errorf("docs/promises.md says of %s, %q: %q, which isn't tested", library, what, says)
			continue
		}
		t.Run(what, func(t *testing.T) {
			testkit.NeedsReuse(t)
			const first, second = "text_of_one", "of_another_"
			a := arena.NewArena()
			a.AllocString(first) // opens a window, in which Rewind stays
			m := a.Mark()
			s := a.AllocString(first)
			read := use(s)
			if !strings.Contains(read(), first) {
				t.Fatalf("it reads %q", read())
			}
			a.Rewind(m)
			if again := a.AllocString(second); unsafe.StringData(again) != unsafe.StringData(s) {
				t.Fatal("the memory isn't reused")
			}
			got := map[bool]string{true: "copied", false: "kept"}[strings.Contains(read(), first)]
			if !strings.HasPrefix(says, got) {
				t.Errorf("it is %s, docs/promises.md says %q: %q", got, says, read())
			}
		})
	}
}

// keptRows returns a library's rows of the table.
func keptRows(t *testing.T, library string) map[string]string {
	_, file, _, _ := runtime.Caller(0)
	page, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) == 3 && cells[0] == library {
			rows[cells[1]] = cells[2]
		}
	}
	if len(rows) == 0 {
		t.Fatalf("docs/promises.md has no rows for %s", library)
	}
	return rows
}
