package production

import (
	"regexp"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// This file finds the units of work of a server in the stacks of its profiles: the functions that a framework calls for
// a request, a message or a job. The outermost call comes first here:
//
//	net/http.HandlerFunc.ServeHTTP  web.log.func1  net/http.HandlerFunc.ServeHTTP  web.list  ...
//	                                own, but       the innermost call that leads   the unit
//	                                it calls on    from a framework to own code
//
// Without a framework the unit is the function that its goroutine runs, or main. Such a function, or a closure, is
// skipped if nearly all its allocations are beneath one of its callees: it is only a loop around that.

// dispatchers are packages that call handlers; those of net/http have a fixed name, see dispatches.
var dispatchers = []string{"github.com/go-chi/chi", "github.com/gin-gonic/gin", "github.com/labstack/echo",
	"github.com/gofiber/fiber", "github.com/valyala/fasthttp", "github.com/gorilla/mux",
	"github.com/julienschmidt/httprouter", "connectrpc.com/connect", "github.com/twitchtv/twirp",
	"github.com/nats-io/nats.go", "github.com/IBM/sarama", "github.com/twmb/franz-go", "github.com/hibiken/asynq",
	"github.com/rabbitmq/amqp091-go", "google.golang.org/grpc.(*Server)", "google.golang.org/grpc.chain",
	"google.golang.org/grpc.getChain"}

// generated matches protoc-gen-go-grpc's functions that pass a call on to the service, and their closures.
var generated = regexp.MustCompile(`\._\w+_Handler(\.func\d+)*$`)

// dispatches reports whether a function's callee may be a handler.
func dispatches(function string) bool {
	if strings.HasSuffix(function, ".ServeHTTP") || generated.MatchString(function) {
		return true
	}
	return slices.ContainsFunc(dispatchers, func(p string) bool { return strings.HasPrefix(function, p) })
}

// A finder knows the program's own functions, and the units that lead to others.
type finder struct {
	root   string            // of package main's module, if it is a copy of a release; else ""
	passed map[string]bool   // units that are only the loop around another
	into   map[string]*tally // by unit
}

// A tally has the bytes that a unit allocated, and those beneath each own callee.
type tally struct {
	bytes   int64
	callees map[string]int64
}

// owns reports whether a call is of the program's own code, not of one of its libraries.
func (d *finder) owns(f probe.Frame) bool {
	if !isProgram(f) {
		return false
	}
	if d.root != "" {
		return strings.HasPrefix(f.File, d.root)
	}
	return !strings.Contains(f.File, "@") && !strings.Contains(f.File, "/vendor/")
}

// newFinder reads all stacks once: for the program's module, and for loops.
func newFinder(stacks [][]probe.Frame, bytes []int64) *finder {
	d := &finder{passed: map[string]bool{}}
	for _, calls := range stacks {
		// A program installed from a release is in the module cache, like its libraries.
		for _, f := range calls {
			if at := strings.IndexByte(f.File, '@'); f.Function == "main.main" && at >= 0 {
				if end := strings.IndexByte(f.File[at:], '/'); end > 0 {
					d.root = f.File[:at+end+1]
				}
			}
		}
	}
	const levels, nearly = 4, 0.9
	for range levels {
		d.into = map[string]*tally{}
		for i, calls := range stacks {
			d.count(calls, bytes[i])
		}
		changed := false
		for unit, t := range d.into {
			for callee, n := range t.callees {
				if float64(n) > nearly*float64(t.bytes) && callee != unit {
					d.passed[unit], changed = true, true
				}
			}
		}
		if !changed {
			break
		}
	}
	return d
}

// count adds a stack's allocations to its unit, if another function may replace the unit.
func (d *finder) count(calls []probe.Frame, bytes int64) {
	at, root := d.unit(calls)
	if at < 0 || !root && !strings.Contains(calls[at].Function, ".func") {
		return
	}
	t := d.into[calls[at].Function]
	if t == nil {
		t = &tally{callees: map[string]int64{}}
		d.into[calls[at].Function] = t
	}
	t.bytes += bytes
	if next := d.inner(calls, at); next >= 0 {
		t.callees[calls[next].Function] += bytes
	}
}

// unit returns the index of a stack's unit, the innermost call first, or -1. root reports that no framework called it.
func (d *finder) unit(calls []probe.Frame) (at int, root bool) {
	at = -1
	for i, f := range calls {
		if !d.owns(f) {
			continue
		}
		at = i // the outermost, if there is no framework
		if i+1 < len(calls) && dispatches(calls[i+1].Function) && !generated.MatchString(f.Function) {
			return d.through(calls, i), false
		}
	}
	if at >= 0 && generated.MatchString(calls[at].Function) && at+1 < len(calls) && dispatches(calls[at+1].Function) {
		return at, false
	}
	return d.through(calls, at), true
}

// through follows the calls within a loop.
func (d *finder) through(calls []probe.Frame, at int) int {
	for at >= 0 && d.passed[calls[at].Function] {
		next := d.inner(calls, at)
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// inner returns the next own call within a call, of another function, or -1.
func (d *finder) inner(calls []probe.Frame, at int) int {
	for i := at - 1; i >= 0; i-- {
		if d.owns(calls[i]) && calls[i].Function != calls[at].Function {
			return i
		}
	}
	return -1
}

// caller describes the caller of a unit, "" for main, which has none.
func caller(calls []probe.Frame, at int) string {
	if calls[at].Function == "main.main" {
		return ""
	}
	for _, f := range calls[at+1:] {
		pkg := sites.Package(f.Function)
		switch {
		case pkg == "net/http":
			return pkg
		case generated.MatchString(f.Function), strings.HasPrefix(pkg, "google.golang.org/grpc"):
			return "gRPC"
		case dispatches(f.Function) && !strings.HasSuffix(f.Function, ".ServeHTTP"):
			return pkg
		case f.Function == "main.main":
			return "main"
		}
	}
	return "a goroutine of its own"
}
