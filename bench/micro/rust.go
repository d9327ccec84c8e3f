package micro

import (
	"fmt"

	"github.com/harena-go/arena/bench/bumpalo"
	"github.com/harena-go/arena/bench/suite"
)

// inRust measures the rows with the program in Rust. It prints one JSON object a line: the name of a row,
// and its value in the row's unit.
func inRust(c suite.Config) (suite.Output, error) {
	args, rows := []string{"micro"}, known()
	if c.Quick {
		args = append(args, "-quick")
	}
	if c.Rows != "" {
		args = append(args, "-rows", c.Rows)
	}
	lines, err := bumpalo.Lines(c.Program, args...)
	if err != nil {
		return suite.Output{}, err
	}
	out := newRecorder("micro", suite.Bumpalo)
	for _, line := range lines {
		r, ok := rows[line.Row]
		if !ok {
			return suite.Output{}, fmt.Errorf("the program with Rust's bumpalo measured %q, which is no row", line.Row)
		}
		out.add(r, line.Value, "")
	}
	return out.Output, nil
}
