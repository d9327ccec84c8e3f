package json

import (
	"cmp"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/harena-go/arena/bench/cargo"
	"github.com/harena-go/arena/bench/suite"
)

// Programs build the programs of those peers that are not part of this one. source is the directory
// of the module bench, and dir where the program goes. The error says in a sentence why there is none.
var Programs = map[string]func(source, dir string) (program string, err error){
	suite.NewerJSON:   newer.build,
	suite.NewerV2JSON: newer.build,
	suite.SerdeJSON:   rust.build,
	suite.SonicRs:     rust.build,
	suite.SimdJSON:    rust.build,
}

// A builder makes one program for several peers.
type builder struct {
	make    func(source, dir string) (program string, err error)
	once    sync.Once
	program string
	err     error
}

func (b *builder) build(source, dir string) (string, error) {
	b.once.Do(func() { b.program, b.err = b.make(source, dir) })
	return b.program, b.err
}

var (
	newer = &builder{make: buildNewer}
	rust  = &builder{make: buildRust}
)

// newerGo is the toolchain whose packages are measured; one that is newer itself takes its own.
const newerGo = "go1.27.3"

// buildNewer builds the program of directory std with a newer toolchain, which the go command gets if
// it may.
func buildNewer(source, dir string) (program string, err error) {
	program = filepath.Join(dir, "bench-json-std")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	c := exec.Command("go", "build", "-o", program, "./json/std")
	c.Dir, c.Env = source, os.Environ()
	if !newEnough() {
		c.Env = append(c.Env, "GOTOOLCHAIN="+newerGo)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("without Go 1.27, or what it says to the program: %s", cmp.Or(first, err.Error()))
	}
	return program, nil
}

// newEnough says whether the toolchain that made this program has the packages itself.
func newEnough() bool { return version.Compare(runtime.Version(), "go1.27") >= 0 }

// rustCrate is compiled for the processor of this machine, which sonic-rs asks for.
var rustCrate = cargo.Crate{Path: filepath.Join("json", "rust"), Name: "harena-bench-json", Env: []string{"RUSTFLAGS=-C target-cpu=native"}}

// buildRust takes minutes the first time, so it doesn't use the directory that goes away.
func buildRust(_, _ string) (string, error) { return rustCrate.Build("") }
