package micro

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/harena-go/arena/bench/suite"
)

// inRust lets the program with Rust's arena measure the rows of a suite. It
// prints one JSON object a line: the name of a row, and its value in the unit
// that the row has here.
func inRust(name string, c suite.Config, rows map[string]row) (suite.Output, error) {
	if c.Bumpalo == "" {
		return suite.Output{}, errors.New("there is no program with Rust's bumpalo: it needs cargo")
	}
	args := []string{name}
	if c.Quick {
		args = append(args, "-quick")
	}
	if c.Rows != "" {
		args = append(args, "-rows", c.Rows)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(c.Bumpalo, args...)
	cmd.Stderr = &stderr
	lines, err := cmd.Output()
	if err != nil {
		return suite.Output{}, fmt.Errorf("the program with Rust's bumpalo: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	out := newRecorder(name, suite.Bumpalo)
	for d := json.NewDecoder(bytes.NewReader(lines)); ; {
		var line struct {
			Row   string
			Value float64
		}
		if err := d.Decode(&line); err == io.EOF {
			return out.Output, nil
		} else if err != nil {
			return suite.Output{}, fmt.Errorf("what the program with Rust's bumpalo printed can't be read: %w", err)
		}
		r, ok := rows[line.Row]
		if !ok {
			return suite.Output{}, fmt.Errorf("the program with Rust's bumpalo measured %q, which is no row of %s", line.Row, name)
		}
		out.add(r, line.Value, "")
	}
}
