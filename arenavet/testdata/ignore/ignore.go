package ignore

import "github.com/harena-go/arena"

var pool arena.Pool

func OKSameLine() {
	pool.Get() //arenavet:ignore it is wanted
}

func OKLineAbove() {
	//arenavet:ignore it is wanted
	pool.Get()
}

func OKAfterCodeOfAnotherLine() {
	a := 1
	_ = a
	//arenavet:ignore it is wanted
	pool.Get()
}

func noReason() {
	//arenavet:ignore // want `arenavet:ignore without a reason: say why this is correct`
	pool.Get()
}

func noReasonButSpace() {
	pool.Get() //arenavet:ignore    // want `arenavet:ignore without a reason`
}

func directiveBehindCode() {
	a := 1 //arenavet:ignore this line, not the next
	pool.Get()
	_ = a
}

func directiveTooFar() {
	//arenavet:ignore only the next line

	pool.Get()
}

func otherDirective() {
	//arenavet:ignored is not a directive
	pool.Get()
}
