// Package parser wraps package list once more, and doesn't import the arena.
package parser

import "github.com/harena-go/arena/internal/tests/compiled/testdata/through/list"

func Node(l *list.List) *list.Node   { return l.NewNode() }
func Leaf(l *list.List) *list.Leaf   { return l.NewLeaf() }
func Line(l *list.List, n list.Line) { l.Line(n) }
func Unit(l *list.List, n list.Unit) { l.Units.Append(n) }
