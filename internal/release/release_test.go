package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// A stranger has a module of their own, no clone, and caches in which nothing of ours was ever.
type stranger struct {
	t       *testing.T
	dir     string
	env     []string
	version string
}

// TestStranger releases the working tree as the version that follows: it types the commands that are printed, and
// then a stranger gets all modules from the repository to which they were pushed.
func TestStranger(t *testing.T) {
	if os.Getenv("HARENA_RELEASE") == "" {
		t.Skip("set HARENA_RELEASE: it takes a minute, and downloads modules")
	}
	s := &stranger{t: t, dir: t.TempDir()}
	s.environ()
	tags := s.release()
	clone := filepath.Join(s.dir, "clone")
	var commands, gets []string
	for _, tag := range tags {
		dir, module := path.Dir(tag), path.Join("github.com/harena-go/arena", path.Dir(tag))
		gets = append(gets, module+"@"+s.version)
		if diff := s.run(filepath.Join(clone, dir), "go", "mod", "tidy", "-diff"); diff != "" {
			t.Errorf("%s isn't as go mod tidy writes it:\n%s", module, diff)
		}
	}
	for _, command := range []string{"arenavet/cmd/arenavet", "scout/cmd/arenascout"} {
		commands = append(commands, filepath.Join(s.dir, "bin", path.Base(command)))
		s.run(s.dir, "go", "install", "github.com/harena-go/arena/"+command+"@"+s.version)
	}
	s.checkZip()
	all := s.getAll(gets)
	s.upgrade(clone, all)
	s.vet(commands[0])
	s.readme()
	s.scout(commands[1])
}

// environ makes git find the repository in a folder, and the go command ask git for its modules, and the usual module
// cache, which it doesn't change, for all others. Downloads of the stranger are always in the same folder, so that the
// build cache knows it next time. With -trimpath it would, too, but compile the standard library anew at first. The go
// command would remember which files a version had, since released ones never change: goindex=0 makes it look.
func (s *stranger) environ() {
	cache, err := os.UserCacheDir()
	if err != nil {
		s.t.Fatal(err)
	}
	modules := filepath.Join(cache, "harena-stranger")
	remove := func() {
		if err := os.RemoveAll(modules); err != nil {
			s.t.Error(err)
		}
	}
	remove()
	s.t.Cleanup(remove)
	values := strings.Split(s.run(".", "go", "env", "GOPROXY", "GOMODCACHE"), "\n")
	config := fmt.Sprintf("[user]\n\tname = x\n\temail = x@example.com\n[url %q]\n\tinsteadOf = %s\n",
		"file://"+filepath.ToSlash(s.dir)+"/origin.git", repository)
	write(s.t, filepath.Join(s.dir, "gitconfig"), config)
	s.env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(s.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GOPRIVATE=github.com/harena-go/arena", "GOPROXY=file://"+filepath.ToSlash(values[1])+"/cache/download,"+values[0],
		"GOSUMDB=off", "GOWORK=off", "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GODEBUG=goindex=0",
		"GOMODCACHE="+modules, "GOBIN="+filepath.Join(s.dir, "bin"))
}

// release returns the tags.
func (s *stranger) release() (tags []string) {
	files, err := load(root)
	if err != nil {
		s.t.Fatal(err)
	}
	s.version = "v0.1.0"
	if newest := heading.FindAllStringSubmatch(files[changelogFile], 2); len(newest) == 2 {
		n, err := numbers("v" + newest[1][1])
		if err != nil {
			s.t.Fatal(err)
		}
		s.version = fmt.Sprintf("v%d.%d.%d", n[0], n[1], n[2]+1)
	}
	// Nothing changed since a release: the headings are all there is.
	if text, _ := notes(files[changelogFile], "Unreleased"); text == "" {
		files[changelogFile] = strings.Replace(files[changelogFile], "## [Unreleased]\n", "## [Unreleased]\n\n- Nothing.\n", 1)
	}
	clone := filepath.Join(s.dir, "clone")
	for name, text := range files {
		write(s.t, filepath.Join(clone, name), text)
	}
	s.run(s.dir, "git", "init", "-q", "--bare", "origin.git")
	for _, line := range []string{"init -q", "remote add origin ../origin.git", "add -A", "commit -q -m before"} {
		s.run(clone, "git", strings.Fields(line)...)
	}
	var typed bytes.Buffer
	if err := run(clone, []string{"-w", s.version}, &typed); err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(typed.String()) {
		words := strings.Fields(line)
		s.run(clone, words[0], words[1:]...)
		if words[1] == "tag" {
			tags = append(tags, words[len(words)-1])
		}
	}
	if _, err := git(clone, "diff", "--exit-code"); err != nil || len(tags) < 8 {
		s.t.Fatalf("tags %q, %v", tags, err)
	}
	return tags
}

// checkZip bounds the size of everybody's download.
func (s *stranger) checkZip() {
	const most, mostFile = 1650 << 10, 300 << 10 // now 1612 KiB and 60 KiB
	s.run(s.dir, "go", "mod", "download", "github.com/harena-go/arena@"+s.version)
	name := filepath.Join(strings.TrimSpace(s.run(s.dir, "go", "env", "GOMODCACHE")), "cache", "download", "github.com", "harena-go", "arena", "@v", s.version+".zip")
	r, err := zip.OpenReader(name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	info, err := os.Stat(name)
	if err != nil || info.Size() > most || len(r.File) < 100 {
		s.t.Errorf("the root module's zip file has %d files and %d bytes, %v", len(r.File), info.Size(), err)
	}
	for _, f := range r.File {
		if f.UncompressedSize64 > mostFile {
			s.t.Errorf("%s has %d bytes", f.Name, f.UncompressedSize64)
		}
	}
	s.t.Logf("the root module's zip file: %d files, %d bytes", len(r.File), info.Size())
}

// getAll gets each module, and builds a program that imports all packages.
func (s *stranger) getAll(modules []string) (dir string) {
	dir = s.module("all")
	s.run(dir, "go", append([]string{"get"}, modules...)...)
	var b strings.Builder
	b.WriteString("package main\n\n")
	seen := 0
	for line := range strings.Lines(s.run(dir, "go", "list", "-e", "-f", "{{.Name}} {{.ImportPath}}", "github.com/harena-go/arena/...")) {
		if name, path, _ := strings.Cut(strings.TrimSpace(line), " "); name != "main" && !strings.Contains(path, "/internal/") && !strings.Contains(path, "/examples/") {
			fmt.Fprintf(&b, "import _ %q\n", path)
			seen++
		}
	}
	if seen < 20 {
		s.t.Errorf("only %d packages", seen)
	}
	write(s.t, filepath.Join(dir, "main.go"), b.String()+"\nfunc main() {}\n")
	s.run(dir, "go", "mod", "tidy")
	s.run(dir, "go", "build", "./...")
	return dir
}

// upgrade releases the root alone, with internal packages that have other paths, and builds the program of getAll with
// that root: released modules must not rely on anything internal.
func (s *stranger) upgrade(clone, program string) {
	const next, tag = "internal/next", "v0.99.0"
	s.run(clone, "git", "mv", "internal", "elsewhere")
	s.run(clone, "mkdir", "internal")
	s.run(clone, "git", "mv", "elsewhere", next)
	for _, file := range strings.Fields(s.run(clone, "git", "ls-files", "*.go")) {
		text := read(s.t, filepath.Join(clone, file))
		if strings.Contains(text, "/arena/internal/") {
			write(s.t, filepath.Join(clone, file), strings.ReplaceAll(text, "/arena/internal/", "/arena/"+next+"/"))
		}
	}
	for _, line := range []string{"add -A", "commit -q -m next", "tag " + tag, "push -q origin " + tag} {
		s.run(clone, "git", strings.Fields(line)...)
	}
	s.run(program, "go", "get", "github.com/harena-go/arena@"+tag)
	s.run(program, "go", "build", "./...")
}

// vet has a program with one misuse.
func (s *stranger) vet(arenavet string) {
	dir := s.module("misuse")
	write(s.t, filepath.Join(dir, "main.go"), `package main

import "github.com/harena-go/arena"

func main() {
	a := arena.NewArena()
	n := arena.New[int](a)
	a.Reset()
	println(*n)
}
`)
	s.run(dir, "go", "get", "github.com/harena-go/arena@"+s.version)
	out, err := s.try(dir, "go", "vet", "-vettool="+arenavet, "./...")
	if err == nil || !strings.Contains(out, "main.go:9:10: arena memory is used after Reset") {
		s.t.Errorf("go vet -vettool: %v\n%s", err, out)
	}
}

// scout tries an arena in a package that has none: arenascout gets it by the version that it was built with.
func (s *stranger) scout(arenascout string) {
	dir := s.module("orders")
	for _, name := range []string{"orders.go", "orders_test.go"} {
		write(s.t, filepath.Join(dir, name), read(s.t, filepath.Join(root, "scout/cmd/arenascout/testdata/orders", name)))
	}
	out := s.run(dir, arenascout, "-q", "-n", "64", "-try", ".")
	if !strings.Contains(out, "orders.go") {
		s.t.Errorf("arenascout -try:\n%s", out)
	}
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// readme builds the Go code in README.md, which is whole files. Where one begins with the path of a file here, those
// beside that file are with it.
func (s *stranger) readme() {
	dir := s.module("readme")
	blocks := goBlock.FindAllStringSubmatch(read(s.t, filepath.Join(root, "README.md")), -1)
	if len(blocks) == 0 {
		s.t.Error("README.md has no Go code")
	}
	for i, block := range blocks {
		at, name := filepath.Join(dir, fmt.Sprint("block", i)), "main.go"
		first, _, _ := strings.Cut(block[1], "\n")
		if path, ok := strings.CutPrefix(first, "// "); ok && strings.HasSuffix(path, ".go") {
			beside, err := filepath.Glob(filepath.Join(root, filepath.Dir(path), "*.go"))
			if err != nil || len(beside) == 0 {
				s.t.Errorf("%s: nothing is there: %v", path, err)
			}
			for _, file := range beside {
				write(s.t, filepath.Join(at, filepath.Base(file)), read(s.t, file))
			}
			name = filepath.Base(path)
		}
		write(s.t, filepath.Join(at, name), block[1])
	}
	s.run(dir, "go", "mod", "tidy")
	s.run(dir, "go", "vet", "./...")
}

// module returns the folder of a new module.
func (s *stranger) module(name string) (dir string) {
	dir = filepath.Join(s.dir, name)
	write(s.t, filepath.Join(dir, "go.mod"), "module example.com/"+name+"\n\ngo 1.26\n")
	return dir
}

// run runs a command that must succeed.
func (s *stranger) run(dir string, name string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, name, args...)
	if err != nil {
		s.t.Fatalf("in %s: %s %s: %v\n%s", dir, name, strings.Join(args, " "), err, out)
	}
	return out
}

// try returns the standard output, and if the command fails its standard error, too.
func (s *stranger) try(dir string, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir, command.Env = dir, s.env
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	if err != nil {
		out.Write(errs.Bytes())
	}
	return out.String(), err
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
