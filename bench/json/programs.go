package json

import (
	"go/version"
	"runtime"

	"github.com/harena-go/arena/bench/program"
)

// newerGo is the toolchain of the measured packages, unless this program's own is new enough.
const newerGo = "go1.27.4"

// Newer is the program of directory std, which measures the standard library of a newer toolchain. The go command
// downloads that if it may.
var Newer = program.Go{Name: "bench-json-std", Dir: "json/std", Env: newerEnv(),
	Failure: "without Go 1.27, or what it says to the program"}

func newerEnv() []string {
	if newEnough() {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + newerGo}
}

// newEnough reports whether the toolchain that built this program has the packages.
func newEnough() bool { return version.Compare(runtime.Version(), "go1.27") >= 0 }
