package keeps

import (
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file returns the summaries of callees.

// A finder analyzes the functions of a package.
type finder struct {
	pkg   *ssa.Package
	known func(*types.Func) *summary.Summary
	done  map[*types.Func]*summary.Summary
	left  int // remaining instructions
}

// of returns the summary of a callee, nil if there is none.
func (p *finder) of(c *ssa.CallCommon) *summary.Summary {
	fn := c.Method
	if !c.IsInvoke() {
		callee := code.Origin(c.StaticCallee())
		if callee == nil {
			return nil
		}
		fn, _ = callee.Object().(*types.Func)
	}
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	fn = fn.Origin()
	if s := p.known(fn); s != nil || fn.Pkg() != p.pkg.Pkg {
		return s
	}
	return p.done[fn]
}

// empties reports whether a method's name suggests that something leaves its receiver, or that it waits until others
// are done.
func empties(name string) bool {
	for _, verb := range verbs {
		rest, ok := strings.CutPrefix(name, verb)
		if !ok {
			rest, ok = strings.CutPrefix(name, strings.ToLower(verb[:1])+verb[1:])
		}
		if ok && (rest == "" || !unicode.IsLower(rune(rest[0]))) {
			return true
		}
	}
	return false
}

// verbs are the beginnings of such names.
var verbs = []string{"Remove", "Delete", "Del", "Purge", "Clear", "Reset", "Evict", "Invalidate", "Pop", "Drop",
	"Flush", "Close", "Free", "Release", "Discard", "Drain", "Take", "Dequeue", "Forget", "Expire", "Truncate",
	"Shrink", "Stop", "Wait", "Join", "Shutdown", "Sync", "Empty", "Unset", "Unregister", "Resize", "Return", "Done",
	"End", "Finish", "Commit", "Rollback", "Cancel", "GetAnd", "LoadAnd", "Init"}

// within is the path to a container's contents.
const within = "*" + state.Inside
