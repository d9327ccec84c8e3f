package attack

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena"
)

// TestMovedInChild makes slices of a child move whose elements point into its parent, which is then rewound to before
// that. A Rewind of the child then brings back the old places: the world must not look there for memory that the parent
// has reclaimed, and in a checked one these places must not hold it.
func TestMovedInChild(t *testing.T) {
	for _, s := range []settings{
		{retained: -1},
		{retained: -1, noScan: true},
		{retained: -1, checks: arena.CheckResets},
		{retained: -1, checks: arena.CheckResets, noScan: true},
		{retained: -1, checks: arena.CheckObjects},
	} {
		for marks := range 3 { // of the child: none, before the move, and after it too
			t.Run(fmt.Sprintf("%+v/%d", s, marks), func(t *testing.T) {
				if text := movedInChild(t, s, marks); text != "" {
					t.Error(text)
				}
			})
		}
	}
}

func movedInChild(t *testing.T, s settings, marks int) (text string) {
	w := newWorld(profileOf("plain"), 1)
	w.suspect = s.checks != 0
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			text = v.text
		default:
			panic(v)
		}
	}()
	node := kinds[nodeKind]
	parent := &actor{w: w, name: "parent", opts: s, a: arena.NewArena(s.options(w, "parent")...)}
	w.enter(parent)
	child := w.addChild(parent)
	takeMark(w, parent, nil)
	w.value(parent, node, 0)

	w.slice(child, node, 0, 40, 40)
	if marks > 0 {
		takeMark(w, child, nil)
	}
	w.value(child, node, 0)
	w.slice(child, node, 0, 1, 1) // so that the slice can't grow where it is
	was := child.pieces[0].p
	w.grow(child, node, 0, 0, 1)
	if !child.upward || child.pieces[0].p == was {
		t.Fatalf("the slice leads into the parent: %v; has moved: %v", child.upward, child.pieces[0].p != was)
	}
	if marks > 1 {
		takeMark(w, child, nil)
		w.value(child, node, 0)
	}

	w.rewind(parent, 0)
	w.value(parent, node, 0)
	w.verify()
	if w.suspect {
		w.judge()
	}
	for i := len(child.marks) - 1; i >= 0; i-- {
		w.rewind(child, i)
		w.verify()
	}
	if marks > 0 && child.pieces[0].p != was {
		t.Errorf("the slice is at %p; it was at %p when the mark was taken", child.pieces[0].p, was)
	}
	w.endWorld()
	return ""
}
