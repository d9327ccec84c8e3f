package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/harena-go/arena/bench/server"
	"github.com/harena-go/arena/bench/service"
	"github.com/harena-go/arena/bench/suite"
)

// A job is the work of one child process. It is passed as JSON in an argument.
type job struct {
	Suite  string
	Peer   string
	Config suite.Config
}

// child runs one job and writes its output.
func child(encoded string, w io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(encoded), &j); err != nil {
		return fmt.Errorf("the hidden flag -child is for the program itself: %w", err)
	}
	for _, s := range suites() {
		if s.Name == j.Suite {
			out, err := s.Run(j.Peer, j.Config)
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(out)
		}
	}
	return fmt.Errorf("there is no suite %q", j.Suite)
}

// loadCommand starts this program once more as the process that makes requests to a server.
func loadCommand(setting, address string) (*exec.Cmd, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.Command(me, "-child", setting, "-load", address), nil
}

// serviceCommand starts this program once more as the web service.
func serviceCommand(setting string) (*exec.Cmd, error) { return loadCommand(setting, serving) }

// serving replaces the address if the process is to serve.
const serving = "serve"

// load runs the process of loadCommand.
func load(setting, address string) error {
	if address == serving {
		return service.Serve(setting)
	}
	c, err := server.ParseConfig(setting)
	if err != nil {
		return err
	}
	return server.Load(address, c, os.Stdin, os.Stdout)
}
