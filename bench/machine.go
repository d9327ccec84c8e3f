package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/report"
	"github.com/harena-go/arena/bench/suite"
)

func describeMachine(f flags) report.Machine {
	return report.Machine{
		CPU:      cpuModel(),
		Cores:    runtime.NumCPU(),
		MaxProcs: runtime.GOMAXPROCS(0),
		OS:       runtime.GOOS + "/" + runtime.GOARCH,
		Kernel:   kernel(),
		Go:       runtime.Version(),
		Rustc:    rustc(),
		Versions: versions(),
		Date:     time.Now().Format(time.DateOnly),
		Command:  strings.TrimSpace("go run ./bench " + f.words),
		Quick:    f.quick,
	}
}

// versions returns the versions of the peers' modules in this program.
func versions() map[string]string {
	v := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		addVersions(v, info)
	}
	return v
}

// addVersions adds the versions of the peers' modules in a program.
func addVersions(v map[string]string, info *debug.BuildInfo) {
	for _, p := range suite.All() {
		for _, dep := range info.Deps {
			if dep.Path != p.Module {
				continue
			}
			if v[p.Module] = dep.Version; dep.Replace != nil && dep.Replace.Version != "" {
				v[p.Module] = dep.Replace.Version
			}
		}
	}
}

// kernel returns the version of the system's kernel, if the system tells it.
func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// rustc returns the version of the Rust compiler, "" if there is none.
func rustc() string {
	out, err := exec.Command("rustc", "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// cpuModel returns the processor's name, if the system tells it.
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

// tuning lists the environment's settings of the collector: they change every number here.
func tuning() []string {
	var set []string
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		if v := os.Getenv(name); v != "" {
			set = append(set, name+"="+v+" was set for all of it")
		}
	}
	return set
}
