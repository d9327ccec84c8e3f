// Package misuse finds calls that can't be meant as they are written.
package misuse

import "github.com/harena-go/arena/arenavet/internal/rules/misuse"

// Analyzer is the check.
var Analyzer = misuse.Analyzer
