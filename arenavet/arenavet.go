// Package arenavet finds misuse of package arena at compile time.
//
// Its analyzers, each with a page of its own:
//
//   - useafter: a value is used after the arena has taken its memory back
//   - escape: a value outlives its arena's reset, in a global, a map, a result
//   - noscan: a self-contained arena's value points to the heap, unseen by the GC
//   - appendgrow: the builtin append may move an arena's slice to the heap
//   - leak: an arena isn't put back, a Shared isn't freed
//   - goroutine: two goroutines use the same arena
//   - poolput: a value is used after sync.Pool.Put, or after something like it
//   - misuse: a result is dropped, a loop defers, and the like
//   - ignore: a directive that silences a finding has no reason
//
// The command in cmd/arenavet runs all of them:
//
//	go install github.com/harena-go/arena/arenavet/cmd/arenavet@latest
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// A wrong finding, or intended code, is silenced by a comment with the reason, on its line or on the one above:
//
//	//arenavet:ignore the cache is emptied before each Reset
package arenavet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/appendgrow"
	"github.com/harena-go/arena/arenavet/escape"
	"github.com/harena-go/arena/arenavet/goroutine"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
	"github.com/harena-go/arena/arenavet/leak"
	"github.com/harena-go/arena/arenavet/misuse"
	"github.com/harena-go/arena/arenavet/noscan"
	"github.com/harena-go/arena/arenavet/poolput"
	"github.com/harena-go/arena/arenavet/useafter"
)

// All has the analyzers.
var All = []*analysis.Analyzer{
	useafter.Analyzer,
	escape.Analyzer,
	noscan.Analyzer,
	appendgrow.Analyzer,
	leak.Analyzer,
	goroutine.Analyzer,
	poolput.Analyzer,
	misuse.Analyzer,
	ignore.Analyzer,
}
