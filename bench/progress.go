package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress tells on stderr how far the run is: a bar on a terminal, a line for
// each finished step anywhere else.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil: lines
	total int
	done  int
	began time.Time
}

func newProgress(total int) *progress {
	p := &progress{w: os.Stderr, total: total, began: time.Now()}
	if fi, err := os.Stderr.Stat(); err == nil && fi.Mode()&os.ModeCharDevice != 0 {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetDescription("starting"))
	}
	return p
}

// step runs f as the step called name.
func (p *progress) step(name string, weight int, f func() error) error {
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%-24s", name))
	}
	began := time.Now()
	err := f()
	p.done += weight
	if p.bar != nil {
		p.bar.Add(weight)
	} else {
		fmt.Fprintf(p.w, "%3d%% %-30s %6.1f s\n", 100*p.done/max(p.total, 1), name, time.Since(began).Seconds())
	}
	return err
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
