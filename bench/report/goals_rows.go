package report

import (
	"fmt"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/rows"
	"github.com/harena-go/arena/bench/suite"
)

const ofRows = "rows of a database"

// rows wants a row to cost hardly more than receiving it, and much less than with pgx and database/sql; a query of one
// row to be no slower than with pgx; and no allocations for a row.
func (j *judge) rows() {
	row := func(group string, n int) string { return fmt.Sprintf("%s-%d", group, n) }
	one, many := row(rows.Row, rows.Sizes[0]), row(rows.Row, rows.Sizes[len(rows.Sizes)-1])
	faster := func(row, peer, what string, target float64) {
		j.add(Goal{Key: "rows/" + row + "/" + peer, Group: ofRows, What: what + ", against " + peer, Target: target,
			AtLeast: true, Unit: "x as fast", Got: j.ratio("rows", row, peer, row, suite.Harena)})
	}
	faster(many, suite.Pgx, "a row of a query of 10,000", 5)
	faster(many, suite.DatabaseSQL, "a row of a query of 10,000", 3)
	faster(one, suite.Pgx, "a query of one row", 1)
	j.atMost(ofRows, "rows/"+many+"/bytes", "a row of a query of 10,000, against receiving its bytes", "x", 1.1,
		j.ratio("rows", many, suite.Harena, many, suite.BytesAlone))
	allocs := row(rows.Mallocs, rows.Sizes[len(rows.Sizes)-1])
	j.atMost(ofRows, "rows/"+allocs, "heap allocations of a row of a query of 10,000", "allocs", 0.01,
		measure.Median(j.report.values("rows", allocs, suite.Harena)))
}
