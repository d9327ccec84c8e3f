// Package poolput finds uses of values after they were given back to a sync.Pool, or to something like one.
package poolput

import "github.com/harena-go/arena/arenavet/internal/rules/poolput"

// Analyzer is the check.
var Analyzer = poolput.Analyzer
