// Package postgres gives tests and benchmarks a real PostgreSQL server: the one that the environment variable
// HARENA_POSTGRES_URL names, or one that it starts in a temporary folder, reachable only through a Unix socket there.
package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// ErrNone is the error of Start on a machine without PostgreSQL.
var ErrNone = errors.New("no PostgreSQL here: initdb was not found, and HARENA_POSTGRES_URL is not set")

// Start returns the URL of a server, and a function that stops it if Start started it. The server also ends, and its
// files are removed, when the process ends without calling that function, however it ends.
func Start() (url string, stop func(), err error) {
	if url := os.Getenv("HARENA_POSTGRES_URL"); url != "" {
		return url, func() {}, nil
	}
	bin, ok := programs()
	if !ok {
		return "", nil, ErrNone
	}
	return start(bin)
}

// programs returns the folder of the programs of PostgreSQL. Debian keeps most of them off the path.
func programs() (dir string, ok bool) {
	candidates, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		candidates = append(candidates, filepath.Join(dir, "initdb"))
	}
	for _, c := range candidates {
		if real, err := filepath.EvalSymlinks(c); err == nil {
			return filepath.Dir(real), true
		}
	}
	return "", false
}

// The server of this test binary, started by the first test that asks.
var (
	once sync.Once
	used struct {
		url  string
		stop func()
		err  error
	}
)

// URL returns the URL of the server of this test binary, or skips the test where there is none. The package's TestMain
// has to call Main.
func URL(t testing.TB) string {
	t.Helper()
	once.Do(func() { used.url, used.stop, used.err = Start() })
	if errors.Is(used.err, ErrNone) {
		t.Skip(used.err)
	}
	if used.err != nil {
		t.Fatal(used.err)
	}
	return used.url
}

// Main runs the tests, stops the server if one was started, and returns the exit code.
func Main(m *testing.M) int {
	defer func() {
		if used.stop != nil {
			used.stop()
		}
	}()
	return m.Run()
}
