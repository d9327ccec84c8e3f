// Mutate measures how well the tests cover the arena itself, the root package and those below it. It changes one
// operator at a time, and runs all their tests.
//
//	go run .ci/mutate/main.go .ci/mutate/source.go [-place REGEXP] [-sample N] [-jobs N] [-with race|asan]
//
// The changes are gremlins' default ones: comparisons are negated or shifted by one, arithmetic operators, signs, ++
// and -- become their opposites. All mutants are compiled into each test binary, in which an environment variable turns
// on one of them, because building a thousand binaries takes hours. A mutant that makes a test run for ever is stopped
// by a limit on its CPU time, which doesn't depend on the load of the machine.
//
// Some code is for a sanitizer only. Its mutants need -with, which makes everything several times slower. Other code is
// for 32-bit machines: set GOARCH=386.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	// compiler matches the tests of the compiler's output, which all mutants change, even when off. The others of this
	// kind are in internal/tests/compiled, which is left out.
	compiler = "^TestPoolDoesNotAllocate$"

	// slow matches the tests that run last, since the others find most mutants.
	slow = "^(TestGC.*|TestFree.*|TestDeepClone.*|TestShared.*|" +
		"TestPoolLends.*|TestUseOfEnded.*|TestIdle.*|TestLocals.*)$"

	// cpuSeconds and memoryKiB limit a run of the tests. Without a mutant it takes 10 s, and 1.5 GB of address space,
	// hardly any of it in use. Some mutants allocate all memory. A mutant that waits for ever takes no CPU time; the
	// tests' own timeout ends it.
	cpuSeconds = 60
	memoryKiB  = 3 << 20
)

const module = "github.com/harena-go/arena"

// mutated are the changed packages.
var mutated = []string{".", "internal/engine/memory", "internal/diagnose/watch", "internal/learn",
	"internal/diagnose/stray", "internal/engine/race"}

// packages have the tests, sorted by the mutants that they find, most first.
var packages = []string{".", "internal/tests/model", "internal/engine/memory", "internal/tests/promises",
	"internal/deepclone", "internal/diagnose/stray",
	"internal/learn", "internal/diagnose/watch", "internal/engine/race", "arenatest"}

// sanitizer is the flag of go test that builds with a sanitizer, without its dash.
var sanitizer string

func main() {
	log.SetFlags(0)
	place := flag.String("place", "", "only mutants whose place, as in arena.go:12:3, matches this expression")
	sample := flag.Int("sample", 0, "only so many mutants, chosen at random, but the same ones each time")
	jobs := flag.Int("jobs", 2, "how many run at a time")
	flag.StringVar(&sanitizer, "with", "", "build the tests with a sanitizer: race or asan")
	flag.Parse()
	if sanitizer == "asan" { // there are no tests without it
		packages = append(packages, "internal/engine/asan")
	}
	pattern := regexp.MustCompile(*place)
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	mutants := slices.DeleteFunc(compile(dir), func(m mutant) bool { return !pattern.MatchString(m.place) })
	if *sample > 0 && *sample < len(mutants) {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(mutants), func(i, j int) {
			mutants[i], mutants[j] = mutants[j], mutants[i]
		})
		mutants = mutants[:*sample]
	}
	if killed(dir, 0) {
		log.Fatal("the tests fail without a mutant")
	}
	lived := try(dir, mutants, *jobs)
	all, alive := perFile(mutants), perFile(lived)
	for _, file := range slices.Sorted(maps.Keys(all)) {
		conclude(file, all[file]-alive[file], all[file])
	}
	if len(all) > 1 {
		conclude("all", len(mutants)-len(lived), len(mutants))
	}
}

// perFile counts the mutants of each file.
func perFile(mutants []mutant) map[string]int {
	count := make(map[string]int)
	for _, m := range mutants {
		file, _, _ := strings.Cut(m.place, ":")
		count[file]++
	}
	return count
}

func conclude(what string, killed, total int) {
	fmt.Printf("%-32s %4d of %4d mutants killed, efficacy %.1f%%\n",
		what, killed, total, 100*float64(killed)/float64(total))
}

// compile builds the tests with all mutants.
func compile(dir string) (mutants []mutant) {
	var replace []string
	for _, pkg := range mutated {
		files, err := rewrite(pkg, &mutants)
		if err != nil {
			log.Fatal(err)
		}
		for name, text := range files {
			to := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
			write(to, text)
			replace = append(replace, fmt.Sprintf("%q: %q", name, to))
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	write(overlay, `{"Replace": {`+strings.Join(replace, ", ")+"}}")
	for _, pkg := range packages {
		if err := os.MkdirAll(filepath.Join(dir, pkg), 0o777); err != nil {
			log.Fatal(err)
		}
		args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", filepath.Join(dir, pkg, "tests")}
		if sanitizer != "" {
			args = append(args, "-"+sanitizer)
		}
		if out, err := exec.Command("go", append(args, "./"+pkg)...).CombinedOutput(); err != nil {
			log.Fatalf("%v\n%s", err, out)
		}
	}
	return mutants
}

func write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
}

// try runs the tests for each mutant, and prints and returns the surviving ones.
func try(dir string, mutants []mutant, jobs int) (lived []mutant) {
	var mu sync.Mutex
	var group sync.WaitGroup
	queue := make(chan mutant)
	for range jobs {
		group.Go(func() {
			for m := range queue {
				if !killed(dir, m.id) {
					mu.Lock()
					lived = append(lived, m)
					fmt.Printf("lived: %s: %s\n", m.place, m.change)
					mu.Unlock()
				}
			}
		})
	}
	for _, m := range mutants {
		queue <- m
	}
	close(queue)
	group.Wait()
	return lived
}

// killed runs the tests with a mutant, and reports whether one failed.
func killed(dir string, id int) bool {
	limits := fmt.Sprintf("ulimit -t %d && ulimit -v %d", cpuSeconds, memoryKiB)
	timeout := "5m"
	if sanitizer != "" { // it reserves all addresses
		limits = fmt.Sprintf("ulimit -t %d", 5*cpuSeconds)
		timeout = "10m"
	}
	fast := "-test.skip=" + compiler + "|^TestCorpus$|" + slow
	for _, which := range []string{fast, "-test.skip=" + compiler + " -test.run=" + slow} {
		for _, pkg := range packages {
			args := []string{"-c", limits + ` && exec "$@"`, "sh", filepath.Join(dir, pkg, "tests"),
				"-test.short", "-test.failfast", "-test.timeout", timeout}
			cmd := exec.Command("sh", append(args, strings.Fields(which)...)...)
			cmd.Dir = pkg
			cmd.Env = append(os.Environ(), fmt.Sprint("MUTANT=", id))
			if out, err := cmd.CombinedOutput(); err != nil {
				if id == 0 {
					log.Printf("%s", out)
				}
				return true
			}
		}
	}
	return false
}
