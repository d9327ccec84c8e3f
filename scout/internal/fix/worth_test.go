package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/trial"
)

// TestPay: a function whose moves save too little isn't given the arena, but moves them if it has the arena anyway.
func TestPay(t *testing.T) {
	named := func(name string) *function {
		signature := types.NewSignatureType(nil, nil, nil, nil, nil, false)
		return &function{obj: types.NewFunc(token.NoPos, types.NewPackage("p", "p"), name, signature)}
	}
	unit, much, little := named("unit"), named("much"), named("little")
	calls := func(from, to *function) { from.calls = append(from.calls, &call{from: from, to: to}) }
	calls(unit, little)
	all := map[*function]bool{unit: true, much: true, little: true}
	carried := named("carried") // has the arena by a field that another needs
	c := &carrier{}
	p := &plan{graph: &graph{}, unit: unit, supplied: all, seen: all,
		way: map[*function]*bearer{much: {carrier: c}, carried: {carrier: c}}}
	of := func(in *function) move { return move{in: in, call: &ast.CallExpr{}} }
	p.moves = []move{of(much), of(carried), of(little)}
	p.pay(map[*function]float64{much: 0.02, carried: 0.001, little: 0.004})
	if len(p.moves) != 2 || p.moves[0].in != much || p.moves[1].in != carried {
		t.Errorf("%d moves", len(p.moves))
	}
	if len(p.left) != 1 || !strings.Contains(p.left[0].Why, "little saves less than 0.5%") {
		t.Errorf("left %+v", p.left)
	}
	p.pay(nil)
	if len(p.moves) != 2 {
		t.Error("without an estimate all moves stay")
	}
}

// TestPaid: there is no patch that is measured to save next to nothing, and it is said why.
func TestPaid(t *testing.T) {
	for _, test := range []struct {
		before, after time.Duration
		round         float64
		kept          bool
	}{{110, 100, 1.1, true}, {102, 100, 1.1, false}, {110, 100, 1.02, false}, {90, 100, 0.9, false}} {
		r := &Result{Moved: 3, Patch: "--- a/x\n+++ b/x\n-old\n+new\n same\n",
			Measured: trial.Result{Before: test.before, After: test.after, PerRound: []float64{test.round}}}
		r.paid()
		if kept := r.Moved == 3 && r.Patch != "" && r.Why == ""; kept != test.kept {
			t.Errorf("%v: %+v", test, r)
		}
		if !test.kept && !strings.HasPrefix(r.Why, "a patch of 2 lines, with 3 expressions moved, gives ") {
			t.Errorf("%v: %s", test, r.Why)
		}
	}
}

// TestUnexported: exported names become what their package would write for itself.
func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{"Parse": "parse", "HTMLText": "htmlText", "ID": "id", "X": "x", "NewURL": "newURL"} {
		if got := unexported(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
