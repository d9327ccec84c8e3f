// Package goroutine finds arenas that several goroutines use.
package goroutine

import (
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

const doc = `report arenas that two goroutines use

An arena belongs to one goroutine at a time. Two that allocate at once get the
same memory, and nothing tells them.

	go parse(a, left)
	parse(a, right)

Give each goroutine an arena of its own, from Shared.Local if the values are to
live equally long, or from a Pool; or wait for the goroutine before using the
arena again.`

// Analyzer is the check.
var Analyzer = rules.Finds("goroutine", doc, finding.Goroutine)
