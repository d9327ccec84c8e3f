// Package json measures how JSON is read to Go values, and written.
package json

import (
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "json"

// Suite measures decoders and encoders of JSON.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "JSON",
		About: "One goroutine reads one text after the other to a new value, or writes a value, and drops it. The time is that of " +
			"the processors, so that what the collector does beside is in it. Types are made from the texts by reflection, " +
			"the same for all. The texts are those that are usual in comparisons of JSON libraries, and a line of a log and an order. " +
			"\"harena\" is package arenajson with an arena that is reset after each text, \"harena-heap\" the same without an arena; " +
			"sonic runs in its standard mode.",
		Peers:   []string{Standard, V2, Goccy, Sonic, Segmentio, Jsoniter, suite.Harena, OurHeap},
		Rounds:  5,
		Plot:    suite.Bars,
		Run:     run,
		Seconds: func(c suite.Config) float64 { return 0.1 + 6*float64(min(1, turn(c)/fullTurn)) },
	}
}

const fullTurn = 200 * time.Millisecond

// turn is how long a row is measured.
func turn(c suite.Config) time.Duration {
	if c.Quick {
		return time.Millisecond
	}
	return fullTurn
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	texts, err := corpora(c.Quick)
	if err != nil {
		return out, err
	}
	p, err := newPeer(peer)
	if err != nil {
		return out, err
	}
	for _, t := range texts {
		for _, row := range rows {
			id := row.name + "-" + t.name
			if !c.Wants(id) || row.onlyTyped && t.typ == nil {
				continue
			}
			do, err := row.prepare(p, t)
			if err != nil {
				return out, fmt.Errorf("%s: %w", id, err)
			}
			if do == nil {
				continue
			}
			out.Results = append(out.Results, suite.Result{Suite: name, Row: id, Group: row.title, Title: row.title + ", " + t.title(),
				Peer: peer, Unit: suite.Seconds, Values: []float64{perCall(do, turn(c))}})
		}
	}
	out.Checksum = fmt.Sprint(len(texts)) // TestPeersAgree compares the values
	return out, nil
}

// A row is one kind of work. prepare returns nil for a peer that doesn't do it.
type row struct {
	name, title string
	onlyTyped   bool
	prepare     func(p peer, t text) (func() error, error)
}

var rows = []row{
	{"typed", "to structs", true, func(p peer, t text) (func() error, error) {
		return func() error { return p.decode(t.data, t.typ) }, p.decode(t.data, t.typ)
	}},
	{"any", "to any", false, func(p peer, t text) (func() error, error) {
		return func() error { return p.decode(t.data, anyType) }, p.decode(t.data, anyType)
	}},
	{"write", "from structs", true, func(p peer, t text) (func() error, error) {
		v := reflect.New(t.typ)
		if err := newStandard().decodeTo(t.data, v.Interface()); err != nil {
			return nil, err
		}
		return func() error { return p.encode(v.Interface()) }, p.encode(v.Interface())
	}},
}

var anyType = reflect.TypeFor[any]()

// perCall is the processors' time for a call.
func perCall(do func() error, turn time.Duration) float64 {
	n := 1
	for ; ; n *= 2 {
		if t := wall(do, n); t >= turn/4 {
			n = max(1, int(float64(n)*float64(turn)/float64(t)))
			break
		}
	}
	runtime.GC()
	cpu := measure.ProcessCPU()
	t := wall(do, n)
	if spent := measure.ProcessCPU() - cpu; spent > 0 {
		return spent / float64(n)
	}
	return t.Seconds() / float64(n)
}

func wall(do func() error, n int) time.Duration {
	began := time.Now()
	for range n {
		if err := do(); err != nil {
			panic(err)
		}
	}
	return time.Since(began)
}
