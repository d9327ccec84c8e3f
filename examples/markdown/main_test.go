package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	markdown "github.com/harena-go/arena/examples/markdown/original"
	ported "github.com/harena-go/arena/examples/markdown/ported"
)

// TestMain runs the tests with all arenas checked.
func TestMain(m *testing.M) { os.Exit(arenatest.Main(m)) }

// converters are the original, and the port in all its ways.
func converters(t testing.TB) map[string]func(string) string {
	in := func(a *arena.Arena) func(string) string {
		return func(text string) string {
			var out bytes.Buffer
			d := ported.ParseIn(a, text)
			runtime.GC() // must not free anything that the tree needs
			d.Render(&out)
			a.Reset()
			return out.String()
		}
	}
	return map[string]func(string) string{
		"original": func(text string) string {
			var out bytes.Buffer
			markdown.Convert(text, &out)
			return out.String()
		},
		"heap":           in(nil),
		"arena":          in(arenatest.New(t)),
		"self-contained": in(arenatest.New(t, arena.WithNoScan())),
	}
}

func TestConvert(t *testing.T) {
	all := converters(t)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"},
		{"# A *b* c #\n## A b c\n# A b c", "<h1 id=\"a-b-c\">A <em>b</em> c</h1>\n<h2 id=\"a-b-c-1\">A b c</h2>\n<h1 id=\"a-b-c-2\">A b c</h1>\n"},
		{"####### no\n#no", "<p>####### no\n#no</p>\n"},
		{"a **b _c_** `d & \ne`", "<p>a <strong>b <em>c</em></strong> <code>d &amp;  e</code></p>\n"},
		{"*a **b* c", "<p><em>a **b</em> c</p>\n"},
		{"snake_case_name * 2 * 3 \\*x\\*", "<p>snake_case_name * 2 * 3 *x*</p>\n"},
		{"``a`b`` `c", "<p><code>a`b</code> `c</p>\n"},
		{"> a\n> > b\n>\n> c\nd", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>\n</blockquote>\n<p>d</p>\n"},
		{"- a\n- b\n  - c\n- d", "<ul>\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n<li>d</li>\n</ul>\n"},
		{"3. a\n\n4. b", "<ol start=\"3\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ol>\n"},
		{"```go\nif a < b {\n\n}\n```\nx", "<pre><code class=\"go\">if a &lt; b {\n\n}\n</code></pre>\n<p>x</p>\n"},
		{"***\n---\n~~~\nopen", "<hr>\n<hr>\n<pre><code>open\n</code></pre>\n"},
		{"[a *b*](/x?y=\"1\" \"T\") ![c *d*](e.png)", "<p><a href=\"/x?y=&quot;1&quot;\" title=\"T\">a <em>b</em></a> <img src=\"e.png\" alt=\"c d\"></p>\n"},
		{"[a][Q], [q], [r]\n\n[q]: https://x.org 'Title'", "<p><a href=\"https://x.org\" title=\"Title\">a</a>, <a href=\"https://x.org\" title=\"Title\">q</a>, [r]</p>\n"},
		{"[x](javascript:alert(1)) <https://y.org/?a&b> <script>", "<p><a href=\"\">x</a>) <a href=\"https://y.org/?a&amp;b\">https://y.org/?a&amp;b</a> &lt;script&gt;</p>\n"},
		{"a  \nb\\\nc", "<p>a<br>\nb<br>\nc</p>\n"},
		{strings.Repeat("> ", 60) + "x", strings.Repeat("<blockquote>\n", 50) + "<p>" + strings.Repeat("&gt; ", 10) + "x</p>\n" + strings.Repeat("</blockquote>\n", 50)},
	} {
		for name, convert := range all {
			if got := convert(c.text); got != c.want {
				t.Errorf("%s: %q\ngot  %q\nwant %q", name, c.text, got, c.want)
			}
		}
	}
}

// parts are the pieces of generated texts.
var parts = []string{"a", "word ", "Üben ", "two words ", "\n", "\n\n", "# ", "## ", "> ", "- ", "  - ", "1. ", "    ", "*", "**", "_", "`", "``", "```\n", "[", "]", "![", "](", ")",
	"](/x \"t\")", "[a]", "[A]: /b 'c'\n", "\\", "  \n", "<", "<http://x>", "&", "\"", "---\n", "\t"}

func generated(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// FuzzSame: any text has the same result in all ways, in time.
func FuzzSame(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add(generated(r))
	}
	all := converters(f)
	f.Fuzz(func(t *testing.T, text string) {
		want := all["original"](text)
		for name, convert := range all {
			if got := convert(text); got != want {
				t.Errorf("%s: %q\ngot  %q\nwant %q", name, text, got, want)
			}
		}
	})
}

func TestRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(name, []byte("# Hi"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{{name}, nil} {
		var out bytes.Buffer
		if err := run(files, strings.NewReader("# Hi"), &out); err != nil || out.String() != "<h1 id=\"hi\">Hi</h1>\n" {
			t.Errorf("%q, %v", &out, err)
		}
	}
	if err := run([]string{name + ".missing"}, nil, &bytes.Buffer{}); err == nil {
		t.Error("no error for a missing file")
	}
	if err := convert(arena.NewArena(arena.WithLimit(10_000)), strings.Repeat("*a* ", 10_000), &bytes.Buffer{}); err == nil {
		t.Error("no error for a text that needs more than its arena may have")
	}
}
