package fix

import (
	"slices"
	"strings"
	"testing"
)

// TestCarryOver: changes of what goyacc has generated are made in its grammar, with the grammar's names of variables, and
// what isn't there is told.
func TestCarryOver(t *testing.T) {
	grammar := "%{\npackage p\n\nimport (\n\t\"x\"\n)\n%}\n\n%%\n\nexpr: term\n  {\n    $$ = &Node{Left: $1}\n  }\n" +
		"| expr '+' term\n  {\n    n := &Node{Left: $1, Right: $<expr>3}\n    $$ = n\n  }\n| list\n  {\n    $$ = &Node{Left: $1}\n  }\n"
	before := "package p\n\nimport (\n\t\"x\"\n)\n\nfunc parse() {\n\tswitch rule {\n\tcase 1:\n\t\t{\n\t\t\tyyVAL.expr = &Node{Left: yyDollar[1].expr}\n\t\t}\n" +
		"\tcase 2:\n\t\t{\n\t\t\tn := &Node{Left: yyDollar[1].expr, Right: yyDollar[3].expr}\n\t\t\tyyVAL.expr = n\n\t\t}\n" +
		"\tcase 3:\n\t\t{\n\t\t\tyyVAL.expr = &Node{Left: yyS[yypt-0].list}\n\t\t}\n\t}\n\ttable := &Table{}\n}\n"
	after := strings.NewReplacer("\t\"x\"\n", "\t\"x\"\n\t\"arena\"\n",
		"n := &Node{Left: yyDollar[1].expr, Right: yyDollar[3].expr}", "n := arena.NewOf(p.arena, Node{Left: yyDollar[1].expr,\n\t\t\t\tRight: yyDollar[3].expr})",
		"&Node{Left: yyS[yypt-0].list}", "arena.NewOf(p.arena, Node{Left: yyS[yypt-0].list})",
		"&Table{}", "arena.New[Table](p.arena)").Replace(before)
	text, lost := carryOver([]byte(before), []byte(after), []byte(grammar))
	want := strings.NewReplacer("\t\"x\"\n", "\t\"x\"\n\t\"arena\"\n",
		"n := &Node{Left: $1, Right: $<expr>3}", "n := arena.NewOf(p.arena, Node{Left: $1,\n    \tRight: $<expr>3})",
		"| list\n  {\n    $$ = &Node{Left: $1}", "| list\n  {\n    $$ = arena.NewOf(p.arena, Node{Left: $1})").Replace(grammar)
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if line := slices.Index(strings.Split(before, "\n"), "\ttable := &Table{}"); !slices.Equal(lost, []int{line}) {
		t.Errorf("lost lines %d, want %d", lost, line)
	}
	// With fewer rules in the grammar the third can't be told from the first.
	if _, lost := carryOver([]byte(before), []byte(after), []byte(strings.Split(grammar, "| list")[0])); len(lost) != 2 {
		t.Errorf("lost lines %d of another grammar", lost)
	}
}

// TestGrammar: what goyacc has generated is changed with its grammar, and the arena gets there by the lexer.
func TestGrammar(t *testing.T) {
	l, tried := look(t, "../testdata/grammar", "example.com/grammar.Parse")
	r := proven(t, l, tried, false)
	if strings.Join(r.Grammars, " ") != "parser.y" || len(r.Left) > 0 || r.Guard == "" {
		t.Errorf("grammars %s, left %+v, no test as %q", r.Grammars, r.Left, r.NoGuard)
	}
	r.has(t, "parser.go", "arena.NewOf(yylex.(*lexer).arena, Node{Name: strings.TrimSpace(yyDollar[2].word), Next: yyDollar[1].list})")
	r.has(t, "parser.y", "\n    $$ = arena.NewOf(yylex.(*lexer).arena, Node{Name: strings.TrimSpace($2), Next: $1})\n",
		"\n\t\"github.com/harena-go/arena\"\n")
}
