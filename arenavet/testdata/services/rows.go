package services

import (
	"errors"
	"fmt"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenapgx"
)

// What the body of a loop keeps from one row to the next, which a sequence reclaims.

type rowOrder struct {
	Account string
	Total   int
}

func BadRowBest(a *arena.Arena, rows any) (int, error) {
	var best *rowOrder
	for o, err := range arenapgx.Each[rowOrder](a, rows) {
		if err != nil {
			return 0, err
		}
		if best == nil || o.Total > best.Total {
			best = o
		}
	}
	return 1, nil
}
func BadRowPrev(a *arena.Arena, rows any) (n int, err error) {
	var prev *rowOrder
	for o, err := range arenapgx.Each[rowOrder](a, rows) {
		if err != nil {
			return 0, err
		}
		if prev != nil && prev.Account == o.Account {
			n++
		}
		prev = o
	}
	return n, nil
}
func BadRowAccount(a *arena.Arena, rows any) (n int, err error) {
	account := ""
	for o, err := range arenapgx.Each[rowOrder](a, rows) {
		if err != nil {
			return 0, err
		}
		if o.Account != account {
			n++
			account = o.Account
		}
	}
	return n, nil
}
func BadRowList(a *arena.Arena, rows any) (n int, err error) {
	var list []*rowOrder
	for o, err := range arenapgx.Each[rowOrder](a, rows) {
		if err != nil {
			return 0, err
		}
		list = append(list, o)
		if len(list) > 1 {
			n += list[0].Total
		}
	}
	return n, nil
}

var errRowOrder = errors.New("order")

func OKRowEach(a *arena.Arena, rows any) (n int, err error) {
	account, last := "", 0
	var best, found, final *rowOrder
	for o, err := range arenapgx.Each[rowOrder](a, rows) {
		if err != nil {
			return 0, err
		}
		if o.Account != account {
			n++
			account = strings.Clone(o.Account)
		}
		if o.Total < last {
			return 0, errRowOrder
		}
		last = o.Total
		final = o
		if best == nil || o.Total > best.Total {
			best = arena.DeepClone(o)
		}
		if o.Total == 7 {
			found = o
			break
		}
	}
	fmt.Println(best, found.Account, final.Total)
	return n, nil
}

func rowLines(a *arena.Arena, text string) func(yield func(*rowOrder) bool) {
	return func(yield func(*rowOrder) bool) {
		for _, line := range strings.Split(text, "\n") {
			a.Reset()
			if !yield(arena.NewOf(a, rowOrder{Account: a.AllocString(line)})) {
				return
			}
		}
	}
}

func BadRowOwn(a *arena.Arena, text string) (n int) {
	var best *rowOrder
	for o := range rowLines(a, text) {
		if best != nil && o.Total > best.Total {
			n++
		}
		best = o
	}
	return n
}

func OKRowOwn(a *arena.Arena, text string) (n int, err error) {
	var best, last *rowOrder
	for o := range rowLines(a, text) {
		if o.Account == "" {
			return 0, errRowOrder
		}
		if best != nil && o.Total > best.Total {
			n++
		}
		last = o
		if o.Total == 1 {
			break
		}
		best = arena.DeepClone(o)
	}
	return n + last.Total, nil
}
