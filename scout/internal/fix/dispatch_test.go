package fix

import "testing"

// TestLeaveDispatched: where a function that asks what an interface holds doesn't compile, its methods stay as they were.
func TestLeaveDispatched(t *testing.T) {
	l, tried := look(t, "../testdata/shapes", "Parse")
	p := newPlan(l, read(l.Program, l.Package.Owns))
	p.decide(tried.Done)
	if p.leaveDispatched("dispatchOther", "why") || !p.leaveDispatched("dispatchMake2", "why") || p.leaveDispatched("dispatchMake", "why") {
		t.Errorf("left %v", p.without)
	}
	p.decide(tried.Done)
	if got := left(t, &Result{Left: p.left}, "// by interface: a function"); got != "why" {
		t.Errorf("left because: %q", got)
	}
}
