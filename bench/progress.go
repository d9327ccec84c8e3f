package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows the run's progress on stderr: a bar on a terminal, a line for each finished step anywhere else.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil: lines
	total float64
	done  float64
}

// newProgress begins work that is expected to take total seconds.
func newProgress(total float64) *progress {
	p := &progress{w: os.Stderr, total: total}
	if fi, err := os.Stderr.Stat(); err == nil && fi.Mode()&os.ModeCharDevice != 0 {
		p.bar = progressbar.NewOptions64(int64(1000*total),
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetDescription("starting"))
	}
	return p
}

// step runs f as the step called name, which takes about seconds seconds.
func (p *progress) step(name string, seconds float64, f func() error) error {
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%-32s", name))
	}
	began := time.Now()
	err := f()
	p.done += seconds
	if p.bar != nil {
		p.bar.Set64(int64(1000 * p.done))
	} else {
		fmt.Fprintf(p.w, "%3d%% %-40s %6.1f s\n", int(100*p.done/max(p.total, 1)), name, time.Since(began).Seconds())
	}
	return err
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
