package arenavet_test

// invisible are the planted programs whose mistake the source doesn't show, or that are outside of all analyzers, each
// with the reason.
var invisible = map[string]string{
	"bounds/behind an object":   bounds,
	"bounds/before an object":   bounds,
	"bounds/behind a slice":     bounds,
	"bounds/behind a string":    bounds,
	"bounds/write behind bytes": bounds,
	"leak/goroutine":            "whether a goroutine waits forever depends on others",
}

const bounds = "an address is computed with package unsafe; no analyzer is about bounds"
