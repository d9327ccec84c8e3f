// Package leak finds arenas that aren't given back.
package leak

import "github.com/harena-go/arena/arenavet/internal/rules/leak"

// Analyzer is the check.
var Analyzer = leak.Analyzer
