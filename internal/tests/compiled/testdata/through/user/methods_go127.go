//go:build go1.27

package main

import "github.com/harena-go/arena/internal/tests/compiled/testdata/through/list"

var m = list.NewMethods()

func init() {
	resets = append(resets, m.Reset)
	operations = append(operations, []operation{
		{"method New", func() { m.NewPlain() }},                                                            // New
		{"method New of pointers", func() { m.NewEdge() }},                                                 // New
		{"method NewOf", func() { m.NewPoint() }},                                                          //
		{"method Append", func() { m.Line(list.Line27{7}) }},                                               // Append
		{"method Append of pointers", func() { m.Segment(list.Segment27{}) }},                              // Append
		{"method MakeSlice", func() { m.Cells(7) }},                                                        //
		{"method CopySlice", func() { var s [9]list.Name27; m.Names(s[:]) }},                               // CopySlice
		{"method AppendSeq", func() { m.Rows(func(yield func(list.Row27) bool) { yield(list.Row27{}) }) }}, // AppendSeq
		{"method For", func() { m.NewBranch() }},                                                           // Typed
	}...)
}
