package flow

import (
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/ignore"
)

// Report reports the findings of a kind. The analyzer must require Analyzer and
// ignore.Analyzer.
func Report(pass *analysis.Pass, k Kind) {
	for _, x := range pass.ResultOf[Analyzer].(*Result).Findings {
		if x.Kind != k {
			continue
		}
		d := analysis.Diagnostic{Pos: x.Pos, Message: x.Message}
		for _, r := range x.Related {
			if r.Pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Pos, Message: r.Message})
			}
		}
		ignore.Report(pass, d)
	}
}
