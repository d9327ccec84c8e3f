// Package noscan finds pointers to the Go heap that an arena hides from the GC.
package noscan

import "github.com/harena-go/arena/arenavet/internal/rules/noscan"

// Analyzer is the check.
var Analyzer = noscan.Analyzer
