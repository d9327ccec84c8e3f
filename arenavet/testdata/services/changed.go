package services

import (
	"strings"

	"github.com/harena-go/arena"
)

// Strings that the library changes, in a self-contained arena.
type element struct {
	tag, text string
}
type dom struct {
	a    *arena.Arena
	fold bool
	tags map[string]string
}

func newDOM() *dom { return &dom{a: arena.NewArena(arena.WithNoScan())} }

func (d *dom) name(s string) string {
	if d.fold {
		return strings.ToLower(s)
	}
	return d.a.AllocString(s)
}
func (d *dom) foldedName(s string) string { return d.a.AllocString(strings.ToLower(s)) }

func (d *dom) OKChangedCopied(tag, text string) *element {
	e := arena.New[element](d.a)
	e.tag = d.foldedName(tag)
	e.text = d.a.AllocString(strings.ReplaceAll(text, "\r\n", "\n"))
	return e
}
func (d *dom) OKChangedCompared(tag string) *element {
	tag = d.a.AllocString(tag)
	e := arena.New[element](d.a)
	lower := strings.ToLower(tag)
	if lower != tag {
		lower = d.a.AllocString(lower)
	}
	e.tag = lower
	return e
}
func (d *dom) OKChangedKey(tag string) *element {
	e := arena.New[element](d.a)
	if strings.ToLower(tag) == "div" {
		e.tag = "div"
	}
	e.text = strings.ToUpper("static")
	return e
}
func (d *dom) OKChangedTrimmed(tag string) *element {
	e := arena.New[element](d.a)
	e.tag = strings.TrimSpace(d.a.AllocString(tag))
	return e
}
func (d *dom) OKChangedKept(tag string) *element {
	e := arena.New[element](d.a)
	lower := strings.ToLower(tag)
	d.a.KeepAlive(lower)
	e.tag = lower
	return e
}
func OKChangedDefault(a *arena.Arena, tag string) *element {
	return arena.NewOf(a, element{tag: strings.ToLower(tag)})
}
