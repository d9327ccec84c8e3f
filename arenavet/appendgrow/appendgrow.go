// Package appendgrow finds calls of the builtin append that may move an arena's slice to the Go heap.
package appendgrow

import "github.com/harena-go/arena/arenavet/internal/rules/appendgrow"

// Analyzer is the check.
var Analyzer = appendgrow.Analyzer
