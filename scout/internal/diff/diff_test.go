package diff

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnified: what is written is what people read elsewhere.
func TestUnified(t *testing.T) {
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"
	after := "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16"
	want := `--- a/x.go
+++ b/x.go
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
@@ -13,3 +13,4 @@
 13
 14
 15
+16
\ No newline at end of file
`
	if got := Unified("x.go", []byte(before), []byte(after)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Unified("x.go", []byte(before), []byte(before)); got != "" {
		t.Errorf("of equal texts: %q", got)
	}
}

// TestApplied: git apply makes of any text what the patch is for.
func TestApplied(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		text := func() string {
			var b strings.Builder
			for range random.IntN(40) {
				b.WriteString(string(rune('a'+random.IntN(4))) + "\n")
			}
			if i%5 == 0 && b.Len() > 0 {
				b.WriteString("end without newline")
			}
			return b.String()
		}
		before := text() + "x\n"
		after := before
		if i%2 == 0 {
			after = text() + "x\n"
		} else {
			lines := strings.SplitAfter(before, "\n")
			at := random.IntN(len(lines))
			after = strings.Join(lines[:at], "") + text() + strings.Join(lines[at:], "")
		}
		patch := Unified("file", []byte(before), []byte(after))
		dir := t.TempDir()
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		if patch != "" {
			cmd := exec.Command(git, "apply", "-")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			cmd.Stdin = strings.NewReader(patch)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, patch)
			}
		}
		if got, _ := os.ReadFile(file); string(got) != after {
			t.Fatalf("%q becomes %q, want %q, by\n%s", before, got, after, patch)
		}
	}
}
