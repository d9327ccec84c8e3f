package script

// An expr is one of the following. Those that may be operands have a line for errors.
type expr any

type (
	constant struct{ value any }
	local    struct{ slot int }
	global   struct{ slot int }
	not      struct{ x expr }
	negated  struct {
		x    expr
		line int
	}
	binary struct {
		op   op
		x, y expr
		line int
	}
	index struct {
		x, at expr
		line  int
	}
	call struct {
		fn   expr
		args []expr
		line int
	}
	listOf struct{ items []expr }
	dictOf struct {
		keys   []string
		values []expr
	}
)

// A stmt is one of the following, or an expr.
type stmt any

type (
	assign struct {
		to    expr // a local, a global, or an index
		value expr
	}
	choice struct {
		test        expr
		then, else_ []stmt
	}
	while struct {
		test expr
		body []stmt
	}
	each struct {
		slot int
		at   expr // the variable
		over expr
		body []stmt
		line int
	}
	back struct{ value expr } // return
	jump struct{ how signal } // break or continue
)

// A Func is a function of a script.
type Func struct {
	name   string
	params int
	slots  int
	body   []stmt
}

type op uint8

const (
	or op = iota
	and
	eq
	ne
	lt
	le
	gt
	ge
	add
	sub
	mul
	div
	mod
)

// opOf returns a binary operator and how tightly it binds, 0 if it is none.
func opOf(t token) (op, int) {
	if t.kind != punct {
		return 0, 0
	}
	switch t.text {
	case "||":
		return or, 1
	case "&&":
		return and, 2
	case "==":
		return eq, 3
	case "!=":
		return ne, 3
	case "<":
		return lt, 3
	case "<=":
		return le, 3
	case ">":
		return gt, 3
	case ">=":
		return ge, 3
	case "+":
		return add, 4
	case "-":
		return sub, 4
	case "*":
		return mul, 5
	case "/":
		return div, 5
	case "%":
		return mod, 5
	}
	return 0, 0
}
