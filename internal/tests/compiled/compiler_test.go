package compiled_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// root is the module's folder.
const root = "../../.."

// goTool runs the go command of the toolchain that built this test.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	cmd := exec.Command("go", args...)
	version := release(runtime.Version())
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+version, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOARCH="+runtime.GOARCH, "GOAMD64=v1")
	if out, err := exec.Command("go", "env", "GOVERSION").Output(); err == nil && release(string(out)) == version {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN=local")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// release returns a version without the experiments that it was built with.
func release(version string) string {
	version, _, _ = strings.Cut(strings.Fields(version)[0], "-X:")
	return version
}

// A build is testdata/fastpath, compiled.
type build struct {
	messages string            // the compiler's output
	file     string            // the program
	code     map[string]string // its functions, disassembled, by name
}

// builds has what fastpath has compiled, by tags, and is where the programs are.
var builds = struct {
	dir    string
	byTags map[string]*build
}{byTags: map[string]*build{}}

func TestMain(m *testing.M) {
	var err error
	if builds.dir, err = os.MkdirTemp("", "fastpath"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(builds.dir)
	os.Exit(status)
}

var text = regexp.MustCompile(`(?m)^TEXT main\.(\w+)\(SB\)`)

// fastpath compiles testdata/fastpath with tags, once.
func fastpath(t *testing.T, tags ...string) *build {
	list := strings.Join(tags, ",")
	if b := builds.byTags[list]; b != nil {
		return b
	}
	b := &build{file: filepath.Join(builds.dir, "fastpath"+list), code: map[string]string{}}
	b.messages = goTool(t, "build", "-tags="+list, "-gcflags=-m=2", "-o", b.file, "./testdata/fastpath")
	dump := goTool(t, "tool", "objdump", "-s", `^main\.\w+$`, b.file)
	starts := append(text.FindAllStringSubmatchIndex(dump, -1), []int{len(dump)})
	for i, m := range starts[:len(starts)-1] {
		b.code[dump[m[2]:m[3]]] = dump[m[0]:starts[i+1][0]]
	}
	builds.byTags[list] = b
	return b
}

func TestInlining(t *testing.T) {
	messages := fastpath(t).messages
	for _, name := range []string{"New", "NewOf", "Append", "For", `\(\*Typed\[T?.*\]\)\.New`} {
		if !strings.Contains(name, "Typed") {
			name += `\[`
		}
		refused := regexp.MustCompile(`cannot inline arena\.` + name + `.*go\.shape.*`)
		if m := refused.FindString(messages); m != "" {
			t.Errorf("%s", m)
		}
		if !regexp.MustCompile(`main\.go:.*inlining call to arena\.` + name).MatchString(messages) {
			t.Errorf("%s isn't inlined into its callers", name)
		}
	}
	if !regexp.MustCompile(`main\.go:.*inlining call to collections\.\(\*Slots\[go\.shape.*\]\)\.At`).MatchString(messages) {
		t.Error("Slots.At isn't inlined into its callers")
	}
	// The caller's values stay on its stack.
	for _, m := range regexp.MustCompile(`main\.go:.*`).FindAllString(messages, -1) {
		bad := strings.Contains(m, "moved to heap") && !strings.Contains(m, "moved to heap: a") ||
			strings.Contains(m, "... argument escapes")
		if bad {
			t.Errorf("escapes: %s", m)
		}
	}
}

var (
	conditional = regexp.MustCompile(`\tJ(E|NE|A|AE|B|BE|L|LE|G|GE|EQ|LT|GT|HI|LS|CC|CS|S|NS)E? `)
	call        = regexp.MustCompile(`\tCALL ([^\t ]+)`)
)

// TestFastPathCode counts the branches of the machine code of New: one for the
// stack, one for a nil arena, one for the window. A fourth would be the test of
// whether the type has pointers, which the compiler must have decided.
func TestFastPathCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	b := fastpath(t)
	for name, want := range map[string]int{
		"NewInt": 3, "NewOwn": 3, "TypedInt": 2, "TypedNode": 2,
		"NewNode": 4, // may be either, so it is tested there; and it shows that the count sees it
	} {
		code := b.code[name]
		if n := len(conditional.FindAllString(code, -1)); n != want {
			t.Errorf("%s has %d conditional jumps; want %d\n%s", name, n, want, code)
		}
		for _, m := range call.FindAllStringSubmatch(code, -1) {
			switch to := m[1]; {
			case regexp.MustCompile(`^[A-Z]+[0-9]*$`).MatchString(to): // the slow path, through the parameter
			case strings.Contains(to, "arena.newSlow"), strings.Contains(to, "arena.typedSlow"):
			case strings.HasPrefix(to, "runtime.newobject"), strings.HasPrefix(to, "runtime.morestack"):
			default:
				t.Errorf("%s calls %s\n%s", name, to, code)
			}
		}
	}
}

// TestAppendStores: an item is stored where it belongs. Called are only what grows
// the slice, and the write barrier.
func TestAppendStores(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	b := fastpath(t)
	allowed := regexp.MustCompile(`(arena|collections)\.room|runtime\.(growslice|memmove|typedslicecopy|gcWriteBarrier|morestack)`)
	for _, name := range []string{"AppendOne", "AppendNode", "SliceAppend", "SliceAppendNode"} {
		code := b.code[name]
		if !strings.Contains(code, "runtime.growslice") { // for which there is never a reason
			t.Errorf("%s isn't the builtin append\n%s", name, code)
		}
		for _, m := range call.FindAllStringSubmatch(code, -1) {
			if !allowed.MatchString(m[1]) {
				t.Errorf("%s calls %s\n%s", name, m[1], code)
			}
		}
	}
}

func TestWarmArenaDoesNotAllocate(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("counts allocations")
	}
	type item struct {
		p *item
		s string
	}
	name := strings.Repeat("x", 32)
	raw, when := []byte(name), time.Now()
	for kind, a := range map[string]*arena.Arena{"default": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan()),
		"scrub": arena.NewArena(arena.WithScrub()), "limited": arena.NewArena(arena.WithLimit(1 << 24))} {
		for op, f := range map[string]func(){
			"New":                func() { arena.New[[3]uint64](a) },
			"New of pointers":    func() { arena.New[item](a) },
			"NewOf":              func() { arena.NewOf(a, item{s: name}) },
			"For":                func() { arena.For[item](a).New() },
			"Append":             func() { arena.Append(a, arena.Append(a, []int(nil), 1, 2), 3, 4, 5, 6, 7) },
			"Append pointers":    func() { arena.Append(a, nil, &item{}, nil) },
			"MakeSlice":          func() { arena.MakeSlice[int](a, 10, 20) },
			"MakeSlice, items":   func() { arena.MakeSlice[item](a, 10, 20) },
			"big MakeSlice":      func() { arena.MakeSliceUninit[byte](a, 100000, 100000) },
			"AllocString":        func() { a.AllocString(name) },
			"AllocBytesToString": func() { a.AllocBytesToString(raw) },
			"Alloc":              func() { a.Realloc(a.Alloc(10, 16), 10, 100, 16) },
			"Mark":               func() { m := a.Mark(); arena.New[item](a); a.Rewind(m) },
			"Stats":              func() { _ = a.Stats() },
			"Sprintf":            func() { a.Sprintf("%d-%d", 42, 7) },
			"Text":               func() { _ = a.Text().Str(name).Int(len(raw)).Float(1.5, 'g', -1).Time(when, time.RFC3339).String() },
			"long Text":          func() { _ = a.Text().Str(name).Str(name).Bytes(raw).Byte(' ').Quote(name).Uint64(7).String() },
			"Join":               func() { arena.Join(a, []string{"one", "two", "three"}, "/") },
			"ToUpper":            func() { a.ToUpper(name) },
			"Replace":            func() { a.Replace(name, "x", "yy", -1) },
			"Repeat":             func() { a.Repeat(name, 7) },
			"Map":                func() { a.Map(func(r rune) rune { return r + 1 }, name) },
		} {
			if op == "Sprintf" && kind == "limited" || op == "Append pointers" {
				continue
			}
			run := func() {
				for range 30 {
					f()
				}
				a.Reset()
			}
			for range 40 {
				run()
			}
			if n := testing.AllocsPerRun(40, run); n != 0 {
				t.Errorf("%s: %s: %.2f heap allocations in 30 calls", kind, op, n)
			}
		}
	}
}

// TestImports keeps the package small: the standard library only, and little
// of it. A program that uses arenas doesn't get a web server by that.
func TestImports(t *testing.T) {
	list := goTool(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", root)
	for _, path := range strings.Fields(list) {
		if !strings.HasPrefix(path, "github.com/harena-go/arena") {
			t.Errorf("imports %s, which isn't of the standard library", path)
		}
	}
	for _, path := range strings.Fields(goTool(t, "list", "-deps", root)) {
		switch path {
		case "net/http", "expvar", "net", "html/template", "text/template", "runtime/pprof", "testing":
			t.Errorf("imports %s", path)
		}
	}
}

// TestSources says what isn't used: the runtime's inner names, which break with
// its next version, and finalizers, which never run on cycles.
func TestSources(t *testing.T) {
	files, _ := filepath.Glob(root + "/*.go")
	inner, _ := filepath.Glob(root + "/internal/*/*.go")
	shelves, _ := filepath.Glob(root + "/internal/*/*/*.go")
	if len(files) < 10 || len(inner) < 2 {
		t.Fatalf("found %d and %d files only", len(files), len(inner))
	}
	for _, file := range append(append(files, inner...), shelves...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, word := range []string{"//go:" + "linkname", "Set" + "Finalizer("} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s contains %s", file, word)
			}
		}
	}
}

// TestVetFlagsCopies compiles a copy of an Arena.
func TestVetFlagsCopies(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	cmd := exec.Command("go", "vet", "-copylocks", "./testdata/copied")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "Arena") < 2 {
		t.Errorf("go vet says nothing about copies of an Arena: %v\n%s", err, out)
	}
}
