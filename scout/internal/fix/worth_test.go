package fix

import (
	"go/ast"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/trial"
)

// TestPay: moves that save too little for their lines are left, by themselves or with what brings the arena there.
func TestPay(t *testing.T) {
	l, tried := look(t, "../testdata/shapes", "Parse")
	p := newPlan(l, read(l.Program, l.Package.Owns))
	for again := true; again; {
		p.decide(tried.Done)
		var err error
		if _, again, err = p.edit(""); err != nil {
			t.Fatal(err)
		}
	}
	all := len(p.moves)
	worth := map[ast.Node]float64{}
	for _, m := range p.moves {
		worth[m.node()] = 1
	}
	if p.pay(nil) || p.pay(worth) || len(p.moves) != all || all < 10 {
		t.Errorf("%d of %d moves stay that all pay", len(p.moves), all)
	}
	// What twin moves is worth two lines, but not its signatures; what recursive moves isn't worth two.
	lines := p.lines()
	for _, m := range p.moves {
		switch m.in.name() {
		case "twin":
			worth[m.node()] = 0.002
		case "recursive":
			worth[m.node()] = 0.0001
		}
	}
	if p.all = true; p.pay(worth) || len(p.moves) != all {
		t.Errorf("%d of %d moves stay where all are wanted", len(p.moves), all)
	}
	if p.all = false; !p.pay(worth) || len(p.moves) >= all || p.lines() >= lines {
		t.Errorf("%d of %d moves stay, %d of %d lines", len(p.moves), all, p.lines(), lines)
	}
	if p.saves = worth; p.share() >= 1 || p.share() < 0.9 {
		t.Errorf("what stays saves %.2f of all", p.share())
	}
	p.decide(tried.Done)
	for _, m := range p.moves {
		if m.in.name() == "twin" || m.in.name() == "recursive" {
			t.Errorf("a move in %s stays", m.in.name())
		}
	}
	lines = p.lines()
	if len(p.moves)+len(p.unpaid) != all || p.pay(worth) || p.lines() != lines {
		t.Errorf("%d moves stay, %d don't, of %d; %d lines, then %d", len(p.moves), len(p.unpaid), all, lines, p.lines())
	}
	// Each of two in a line costs nothing beside the other.
	byLine, several := map[int][]ast.Node{}, 0
	for _, n := range p.nodes() {
		byLine[p.line(n.Pos())] = append(byLine[p.line(n.Pos())], n)
	}
	for _, nodes := range byLine {
		for _, n := range nodes[:len(nodes)*min(len(nodes)-1, 1)] {
			worth[n], several = 0.0001, several+1
		}
	}
	left := len(p.unpaid)
	if p.pay(worth); several < 2 || len(p.unpaid) < left+several {
		t.Errorf("%d of %d moves in lines with others are left", len(p.unpaid)-left, several)
	}
	for _, why := range p.unpaid {
		if !strings.Contains(why, "% of CPU with ") && !strings.Contains(why, "next to none of CPU with ") {
			t.Error(why)
		}
	}
}

// TestChanged: lines that edits add or remove.
func TestChanged(t *testing.T) {
	text := "one\ntwo\n\tthree\nfour\n"
	at := func(from, to int, text string) edit.Edit { return edit.Edit{From: from, To: to, Text: text} }
	for _, test := range []struct {
		edits []edit.Edit
		want  int
	}{
		{[]edit.Edit{at(0, 3, "1")}, 2},
		{[]edit.Edit{at(0, 1, "O"), at(2, 3, "E")}, 2},
		{[]edit.Edit{at(4, 4, "new\n")}, 1},
		{[]edit.Edit{at(9, 9, "new\n\t")}, 3},
		{[]edit.Edit{at(7, 7, "\nnew")}, 1},
		{[]edit.Edit{at(5, 5, "\nnew\n")}, 4},
		{[]edit.Edit{at(0, 7, "1")}, 3},
	} {
		if got := changed([]byte(text), test.edits); got != test.want {
			t.Errorf("%+v: %d lines, want %d", test.edits, got, test.want)
		}
	}
}

// TestPaid: there is no patch that is measured to save next to nothing, and it is said why.
func TestPaid(t *testing.T) {
	for _, test := range []struct {
		before, after time.Duration
		rounds        []float64
		kept          bool
	}{
		{110, 100, []float64{1.1}, true}, {102, 100, []float64{1.1}, false}, {110, 100, []float64{1.02}, false},
		{90, 100, []float64{0.9}, false}, {110, 100, []float64{0.9, 1.1, 1.1}, false}, // it may be chance
	} {
		r := &Result{Moved: 3, Patch: "--- a/x\n+++ b/x\n-old\n+new\n same\n",
			Measured: trial.Result{Before: test.before, After: test.after, PerRound: test.rounds}}
		r.paid()
		if kept := r.Moved == 3 && r.Patch != "" && r.Why == ""; kept != test.kept {
			t.Errorf("%v: %+v", test, r)
		}
		why := "isn't worth it"
		if len(test.rounds) > 1 {
			why = "may be none at all"
		}
		if !test.kept && !(strings.HasPrefix(r.Why, "a patch of 2 lines, with 3 expressions moved, gives ") && strings.HasSuffix(r.Why, why)) {
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
