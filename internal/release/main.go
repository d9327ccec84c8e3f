// Release prepares a version of every released module and prints the git commands that publish it.
//
//	go run ./internal/release v0.1.0         # show what would change
//	go run ./internal/release -w v0.1.0      # change it
//	go run ./internal/release -notes v0.1.0  # print what CHANGELOG.md says of a released version
//
// All modules have the same version and are tagged at the same commit. go.work makes the modules
// use each other in a clone, so that no replace directives are needed there.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(dir string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	write := flags.Bool("w", false, "change the files; without it, only show the changes")
	show := flags.Bool("notes", false, "print the section of CHANGELOG.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: release [-w | -notes] v0.1.0")
	}
	version := flags.Arg(0)
	before, err := load(dir)
	if err != nil {
		return err
	}
	if *show {
		text, err := notes(before[changelogFile], version)
		fmt.Fprint(out, text)
		return err
	}
	after, tags, err := prepare(before, version, time.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return err
	}
	if !*write {
		printChanges(out, before, after)
	} else if err := save(dir, before, after); err != nil {
		return err
	}
	fmt.Fprint(out, commands(version, tags))
	return nil
}

// commands returns the commands to type. The root's tag is pushed separately: GitHub starts no
// workflow for a push of more than three tags.
func commands(version string, tags []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "git add -A\ngit commit -m %s\n", version)
	for _, tag := range tags {
		fmt.Fprintf(&b, "git tag -a -m %s %s\n", tag, tag)
	}
	fmt.Fprintf(&b, "git push --atomic origin HEAD %s\n", tags[0])
	fmt.Fprintf(&b, "git push --atomic origin %s\n", strings.Join(tags[1:], " "))
	return b.String()
}

// load returns the files that git tracks, by their names with slashes.
func load(dir string) (map[string]string, error) {
	names, err := git(dir, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimRight(names, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return files, nil
}

// save writes the files that differ. It requires that the working tree has no other changes, which
// git add would include.
func save(dir string, before, after map[string]string) error {
	if status, err := git(dir, "status", "--porcelain"); err != nil || status != "" {
		return errors.Join(err, fmt.Errorf("the working tree has changes:\n%s", status))
	}
	for _, name := range changed(before, after) {
		file := filepath.Join(dir, name)
		text, kept := after[name]
		if !kept {
			if err := os.Remove(file); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func git(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	out, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// changed returns the names of the files that differ, in order.
func changed(before, after map[string]string) (names []string) {
	for name, text := range after {
		if was, old := before[name]; !old || was != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, kept := after[name]; !kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// printChanges prints the removed and added lines of each file, and only the names of new and
// deleted files.
func printChanges(out io.Writer, before, after map[string]string) {
	for _, name := range changed(before, after) {
		was, old := before[name]
		text, kept := after[name]
		switch {
		case !old:
			fmt.Fprintln(out, "new:", name)
		case !kept:
			fmt.Fprintln(out, "deleted:", name)
		default:
			fmt.Fprintf(out, "%s:\n%s%s", name, without("-", was, text), without("+", text, was))
		}
	}
}

// without returns the lines of text that other lacks, each after a mark.
func without(mark, text, other string) string {
	has := map[string]bool{"\n": true}
	for line := range strings.Lines(other) {
		has[line] = true
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !has[line] {
			b.WriteString(mark + line)
		}
	}
	return b.String()
}
