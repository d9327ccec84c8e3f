package main

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/report"
)

func describeMachine(f flags) report.Machine {
	return report.Machine{
		CPU:     cpuModel(),
		Cores:   runtime.GOMAXPROCS(0),
		OS:      runtime.GOOS + "/" + runtime.GOARCH,
		Go:      runtime.Version(),
		Date:    time.Now().Format(time.DateOnly),
		Command: strings.TrimSpace("go run ./bench " + f.words),
		Rounds:  f.rounds,
	}
}

// cpuModel is the processor's name where the system tells it.
func cpuModel() string {
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown " + runtime.GOARCH + " processor"
}

// tuning lists the environment's settings of the collector: they change every
// number here.
func tuning() []string {
	var set []string
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		if v := os.Getenv(name); v != "" {
			set = append(set, name+"="+v+" was set for all of it")
		}
	}
	return set
}
