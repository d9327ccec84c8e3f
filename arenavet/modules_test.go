package arenavet_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenavet"
)

// modules are some dependencies of module conformance, at its versions. It requires arena, too.
var modules = []string{
	"github.com/gin-gonic/gin/...",
	"github.com/go-chi/chi/v5/...",
	"github.com/go-json-experiment/json/...",
	"github.com/go-playground/validator/v10/...",
	"github.com/goccy/go-yaml/...",
	"github.com/labstack/echo/v5/...",
	"github.com/prometheus/prometheus/tsdb/...",
	"github.com/quic-go/quic-go/...",
	"google.golang.org/grpc/...",
	"google.golang.org/protobuf/...",
	"k8s.io/apimachinery/...",
}

// tooLarge are the numbers of functions of modules that are given up. Each calls itself for each part of a type, and
// returns a function that has captured the results of those calls.
var tooLarge = map[string]int{"k8s.io/apimachinery/...": 1, "google.golang.org/protobuf/...": 1}

// TestModules moves packages of other people to arenas, and their functions are followed.
func TestModules(t *testing.T) {
	if os.Getenv("HARENA_LONG") == "" {
		t.Skip("compiles eleven modules; HARENA_LONG=1 runs it")
	}
	for _, module := range modules {
		t.Run(strings.ReplaceAll(strings.TrimSuffix(module, "/..."), "/", " "), func(t *testing.T) {
			roots, known, err := load("../conformance", append(os.Environ(), "GOWORK=off"), module, "github.com/harena-go/arena")
			if err != nil {
				t.Fatal(err)
			}
			followed, lost, left := 0, 0, 0
			for _, p := range roots {
				if p.IllTyped || len(p.CompiledGoFiles) == 0 || p.PkgPath == "github.com/harena-go/arena" { // conformance doesn't require all
					continue
				}
				files, err := known.withArenas(p.PkgPath)
				if err != nil {
					left++
					continue
				}
				s, err := known.parse(p.PkgPath, files)
				if err != nil { // the rewriter handles most packages
					left++
					t.Logf("isn't moved: %v", err)
					continue
				}
				stats := statistics(func() { s.analyze(t, arenavet.All) })
				for line := range strings.Lines(stats) {
					var analyzed, given int
					if _, numbers, ok := strings.Cut(line, "arenaflow: "); ok {
						fmt.Sscanf(numbers, "%d functions analyzed, %d given up", &analyzed, &given)
						followed, lost = followed+analyzed, lost+given
					}
				}
				if strings.Contains(stats, "\t") {
					t.Log(stats)
				}
			}
			t.Logf("%d functions of %d packages are followed, %d aren't; %d packages can't be moved", followed, len(roots)-1-left, lost, left)
			if followed == 0 || lost > tooLarge[module] {
				t.Errorf("%d functions are followed, %d aren't, %d may be too large", followed, lost, tooLarge[module])
			}
		})
	}
}
