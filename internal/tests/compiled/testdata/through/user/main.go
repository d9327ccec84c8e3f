// User is run by a test. It calls the arena through other packages, and prints the
// number of heap allocations in 100 calls. Behind a line's // stands what is inlined
// there, of package arena or collections.
package main

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena/internal/tests/compiled/testdata/through/list"
	"github.com/harena-go/arena/internal/tests/compiled/testdata/through/parser"
)

type operation struct {
	name string
	do   func()
}

var (
	l      = list.New()
	number int
	point  list.Point
	text   = "more than 32 bytes, which is copied"

	ints    = list.NewOf[[2]int]()
	texts   = list.NewOf[[2]string]()
	addInts = ints.Adder()

	resets = []func(){l.Reset, ints.Reset, texts.Reset}
)

var operations = []operation{
	{"New", func() { l.NewPlain() }},                                                        // New
	{"New of pointers", func() { l.NewEdge() }},                                             // New
	{"New, three packages away", func() { parser.Node(l) }},                                 //
	{"NewOf", func() { l.NewPoint() }},                                                      //
	{"NewOf of pointers", func() { l.NewRef(&point) }},                                      //
	{"Typed.New", func() { l.NewLeaf() }},                                                   // Typed
	{"Typed.New of pointers", func() { l.NewBranch() }},                                     // Typed
	{"Typed.New, three packages away", func() { parser.Leaf(l) }},                           // Typed
	{"Append", func() { l.Line(7) }},                                                        // Append
	{"Append of a string", func() { l.Text(text) }},                                         // Append
	{"Append of pointers", func() { l.Segment(list.Segment{&number, nil}) }},                // Append
	{"Append, three packages away", func() { parser.Line(l, 7) }},                           // Append
	{"Append of two", func() { l.Pair(list.Pair{text, ""}, list.Pair{}) }},                  // Append
	{"Append of several", func() { l.Spans(list.Span{1, 2}, list.Span{}) }},                 // Append
	{"Append to a Slice", func() { l.Units.Append(list.Unit{}) }},                           // Append
	{"Append to a Slice, three packages away", func() { parser.Unit(l, list.Unit{}) }},      // Append
	{"MakeSlice", func() { l.Words(7) }},                                                    //
	{"MakeSlice of pointers", func() { l.Cells(7) }},                                        //
	{"AllocString", func() { l.String(text) }},                                              //
	{"AllocBytesToString", func() { var b [9]byte; l.OfBytes(b[:]) }},                       //
	{"CopySlice", func() { var s [9]list.Name; l.Names(s[:]) }},                             // CopySlice
	{"AppendSeq", func() { l.Rows(func(yield func(list.Row) bool) { yield(list.Row{}) }) }}, // AppendSeq
	{"generic New", func() { ints.New() }},                                                  //
	{"generic New of pointers", func() { texts.New() }},                                     //
	{"generic NewOf", func() { ints.NewOf([2]int{7}) }},                                     //
	{"generic NewOf of pointers", func() { texts.NewOf([2]string{text}) }},                  //
	{"generic Append", func() { ints.Append([2]int{7}) }},                                   //
	{"generic Append of pointers", func() { texts.Append([2]string{text}) }},                //
	{"generic MakeSlice", func() { ints.Slice(7) }},                                         //
	{"generic MakeSlice of pointers", func() { texts.Slice(7) }},                            //
	{"closure", func() { addInts([2]int{7}) }},                                              //
}

func main() {
	for _, o := range operations {
		run := func() {
			for range 100 {
				o.do()
			}
			for _, reset := range resets {
				reset()
			}
		}
		for range 40 {
			run()
		}
		fmt.Printf("%s: %v\n", o.name, testing.AllocsPerRun(10, run))
	}
}
