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

// This file holds what is known of functions that are called.

// A finder looks at the functions of a package.
type finder struct {
	pkg   *ssa.Package
	known func(*types.Func) *summary.Summary
	done  map[*types.Func]*summary.Summary
	left  int // instructions
}

// of returns what is known of a function that is called, nil if there is nothing.
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

// empties reports whether a method's name says that something leaves its receiver, or that it
// waits until others are done with what they have.
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

// verbs are what such names begin with.
var verbs = []string{"Remove", "Delete", "Del", "Purge", "Clear", "Reset", "Evict", "Invalidate", "Pop", "Drop",
	"Flush", "Close", "Free", "Release", "Discard", "Drain", "Take", "Dequeue", "Forget", "Expire", "Truncate",
	"Shrink", "Stop", "Wait", "Join", "Shutdown", "Sync", "Empty", "Unset", "Unregister", "Resize", "Return", "Done",
	"End", "Finish", "Commit", "Rollback", "Cancel", "GetAnd", "LoadAnd", "Init"}

// within is where in a container things are.
const within = "*" + state.Inside
