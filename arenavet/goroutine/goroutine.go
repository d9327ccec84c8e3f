// Package goroutine finds arenas that several goroutines use.
package goroutine

import (
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/flow"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/ignore"
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
var Analyzer = &analysis.Analyzer{
	Name:             "goroutine",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{flow.Analyzer, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run: func(pass *analysis.Pass) (any, error) {
		flow.Report(pass, finding.Goroutine)
		return nil, nil
	},
}
