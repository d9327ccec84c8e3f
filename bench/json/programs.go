package json

import (
	"go/version"
	"runtime"

	"github.com/harena-go/arena/bench/json/types"
	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/suite"
)

// A Builder makes the program of a peer. The error says in a sentence why there is none.
type Builder interface {
	Build() (path string, err error)
}

// Programs are those of peers that are not part of this one.
var Programs = map[string]Builder{
	suite.NewerJSON:   newer,
	suite.NewerV2JSON: newer,
	suite.SerdeJSON:   rust,
	suite.SonicRs:     rust,
	suite.SimdJSON:    rust,
}

// newerGo is the toolchain whose packages are measured; one that is newer itself takes its own.
const newerGo = "go1.27.3"

// newer is the program of directory std, built with a newer toolchain, which the go command gets if
// it may.
var newer = program.Go{Name: "bench-json-std", Dir: "json/std", Env: newerEnv(),
	Failure: "without Go 1.27, or what it says to the program"}

func newerEnv() []string {
	if newEnough() {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + newerGo}
}

// newEnough reports whether the toolchain that made this program has the packages itself.
func newEnough() bool { return version.Compare(runtime.Version(), "go1.27") >= 0 }

// rust is compiled for the processor of this machine, which sonic-rs asks for.
var rust = program.Rust{Name: "harena-bench-json", Dir: "json/rust", Env: []string{"RUSTFLAGS=-C target-cpu=native"},
	Sources: &program.Generated{Name: "rust", From: sources, Write: types.WriteRust}}

// Easy is this program with easyjson and its code for the types.
var Easy = program.Go{Name: "bench-easyjson", Tags: "easyjson", Failure: "the code of easyjson can't be built",
	Sources: &program.Generated{Name: "easyjson", From: sources, Into: "json/fixed",
		Write: func(dir string) error { return types.WriteGo(program.Source(), dir) }}}

// sources are what generated types depend on; the texts are in a module that go.mod names.
var sources = []string{"json/types/*.go", "json/work/*.go", "go.mod", "go.sum"}
