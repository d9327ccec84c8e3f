package services

import (
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

// Loops that set something in all elements before the arena is reset, and such that don't come to all of them.

type body struct {
	x    int
	name string
	hit  *hit
}

type hit struct{ x int }

type scene struct {
	frame  arena.Arena
	bodies []*body
	flat   []body
	fixed  [4]body
	names  []string
	byName map[string]*body
	rows   [][]body
	static bool
}

func (w *scene) hitAll() {
	for _, b := range w.bodies {
		b.hit = arena.NewOf(&w.frame, hit{1})
	}
}

func (w *scene) hitFlat() {
	for i := range w.flat {
		w.flat[i].hit = arena.NewOf(&w.frame, hit{1})
	}
}

func OKEveryPointer(w *scene) {
	w.hitAll()
	for _, b := range w.bodies {
		b.hit = nil
	}
	w.frame.Reset()
}
func OKEveryFlat(w *scene) {
	w.hitFlat()
	for i := range w.flat {
		w.flat[i].hit = nil
	}
	w.frame.Reset()
}
func OKEveryFor(w *scene) {
	w.hitFlat()
	for i := 0; i < len(w.flat); i++ {
		b := &w.flat[i]
		b.hit = nil
	}
	w.frame.Reset()
}
func OKEveryWhole(w *scene) {
	w.hitFlat()
	for i := range w.flat {
		w.flat[i] = body{x: w.flat[i].x}
	}
	w.frame.Reset()
}
func OKEveryFixed(w *scene) {
	w.fixed[2].hit = arena.NewOf(&w.frame, hit{1})
	for i := range w.fixed {
		w.fixed[i].hit = nil
	}
	w.frame.Reset()
}
func OKEveryOfMap(w *scene, name string) {
	w.byName[name].hit = arena.NewOf(&w.frame, hit{1})
	for _, b := range w.byName {
		b.hit = nil
	}
	w.frame.Reset()
}
func OKEveryOfRows(w *scene) {
	w.rows[1][2].hit = arena.NewOf(&w.frame, hit{1})
	for _, row := range w.rows {
		for i := range row {
			row[i].hit = nil
		}
	}
	w.frame.Reset()
}
func (w *scene) forget() {
	for _, b := range w.bodies {
		b.hit = nil
	}
	w.frame.Reset()
}
func (w *scene) forgetFlat() {
	for i := range w.flat {
		w.flat[i].hit = nil
	}
	w.frame.Reset()
}
func OKEveryByMethod(w *scene) {
	w.hitAll()
	w.forget()
}
func OKEveryFlatByMethod(w *scene) {
	w.hitFlat()
	w.forgetFlat()
}

func (w *scene) endFrame() { w.forgetFlat() }
func OKEveryByMethodOfMethod(w *scene) {
	w.hitFlat()
	w.endFrame()
}

func OKEveryIfAny(w *scene) {
	w.hitAll()
	w.forgetAny()
	w.frame.Reset()
}
func (w *scene) forgetAny() {
	for _, b := range w.bodies {
		if b.hit == nil {
			continue
		}
		b.x += b.hit.x
		b.hit = nil
	}
}

func (w *scene) forgetMoved() {
	for i := range w.flat {
		if w.flat[i].x == 0 {
			continue
		}
		w.flat[i].hit = nil
	}
}
func (w *scene) forgetFast() {
	for _, b := range w.bodies {
		if b.x < 10 {
			continue
		}
		b.hit = nil
	}
}
func BadEveryMovedByMethod(w *scene) {
	w.hitFlat()
	w.forgetMoved()
	w.frame.Reset()
}
func BadEveryFastByMethod(w *scene) {
	w.hitAll()
	w.forgetFast()
	w.frame.Reset()
}
func BadEveryIf(w *scene) {
	w.hitAll()
	for _, b := range w.bodies {
		if b.x > 0 {
			b.hit = nil
		}
	}
	w.frame.Reset()
}
func BadEveryContinue(w *scene) {
	w.hitFlat()
	for i := range w.flat {
		if w.flat[i].x == 0 {
			continue
		}
		w.flat[i].hit = nil
	}
	w.frame.Reset()
}
func BadEveryOther(w *scene) {
	w.hitAll()
	for i := range w.flat {
		w.flat[i].hit = nil
	}
	w.frame.Reset()
}
func BadEveryBefore(w *scene) {
	for _, b := range w.bodies {
		b.hit = nil
	}
	w.hitAll()
	w.frame.Reset()
}
func BadEveryAgain(w *scene) {
	for i := range w.flat {
		w.flat[i].hit = nil
		if w.flat[i].x > 0 {
			w.flat[i].hit = arena.NewOf(&w.frame, hit{1})
		}
	}
	w.frame.Reset()
}
func BadEveryOtherField(w *scene) {
	w.flat[0].name = w.frame.AllocString("x")
	for i := range w.flat {
		w.flat[i].hit = nil
	}
	w.frame.Reset()
}
func (w *scene) forgetStatic() {
	if w.static {
		return
	}
	for i := range w.flat {
		w.flat[i].hit = nil
	}
}
func BadEveryNotAlways(w *scene) {
	w.hitFlat()
	w.forgetStatic()
	w.frame.Reset()
}

func OKEveryCloned(a *arena.Arena, w *scene, text string) {
	names := slices.Clone(splitNames(a, text))
	for i := range names {
		names[i] = strings.Clone(names[i])
	}
	w.names = names
	a.Reset()
}
func OKEveryClonedInPlace(pool *arena.Pool, w *scene, text string) {
	pool.Do(func(a *arena.Arena) error {
		names := slices.Clone(splitNames(a, text))
		own(names)
		w.names = names
		return nil
	})
}
func own(names []string) {
	for i, s := range names {
		names[i] = strings.Clone(s)
	}
}
func splitNames(a *arena.Arena, text string) []string {
	return arena.Append(a, nil, a.AllocString(text), a.AllocString("x"))
}

func BadEveryNotCloned(a *arena.Arena, w *scene, text string) {
	names := slices.Clone(splitNames(a, text))
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	w.names = names
	a.Reset()
}
func BadEveryClonedElsewhere(a *arena.Arena, w *scene, text string) {
	names := slices.Clone(splitNames(a, text))
	copies := make([]string, len(names))
	for i := range names {
		copies[i] = strings.Clone(names[i])
	}
	w.names = names
	a.Reset()
}
func BadEveryLongCloned(a *arena.Arena, w *scene, text string) {
	names := slices.Clone(splitNames(a, text))
	for i, s := range names {
		if len(s) > 10 {
			names[i] = strings.Clone(s)
		}
	}
	w.names = names
	a.Reset()
}

// Elements that a method of a method clears.

type batcher struct {
	a       *arena.Arena
	pending []*hit
	byID    map[int]*hit
	write   func([]*hit) error
}

func (p *batcher) drop() {
	clear(p.pending)
	p.pending = p.pending[:0]
	p.a.Reset()
}
func (p *batcher) flush() error {
	defer p.drop()
	return p.write(p.pending)
}
func (p *batcher) OKEveryFlushed(n int) error {
	for range n {
		if p.pending = append(p.pending, arena.New[hit](p.a)); len(p.pending) == 100 {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return p.flush()
}

func (p *batcher) dropSome() {
	if len(p.pending) > 10 {
		clear(p.pending)
	}
	p.pending = p.pending[:0]
	p.a.Reset()
}
func (p *batcher) flushSome() error {
	defer p.dropSome()
	return p.write(p.pending)
}
func (p *batcher) BadEveryFlushedSome(n int) error {
	for range n {
		p.pending = append(p.pending, arena.New[hit](p.a))
	}
	return p.flushSome()
}

func (p *batcher) dropOne(id int) { delete(p.byID, id) }
func (p *batcher) dropFirst()     { p.dropOne(0) }
func (p *batcher) BadEveryDropFirst(n int) {
	for i := range n {
		p.byID[i] = arena.New[hit](p.a)
	}
	p.dropFirst()
	p.a.Reset()
}

// In each turn of a loop another one sets all elements anew.
func OKEveryTurnOfMap(a *arena.Arena, keys []string, frames int) (n int) {
	byName := map[string]*hit{}
	for range frames {
		for i, k := range keys {
			byName[k] = arena.NewOf(a, hit{i})
		}
		for _, k := range keys {
			n += byName[k].x
		}
		a.Reset()
	}
	return n
}
func OKEveryTurnAppended(a *arena.Arena, keys []string, frames int) (n int) {
	list := make([]*hit, 0, 10)
	for range frames {
		list = list[:0]
		for i := range keys {
			list = append(list, arena.NewOf(a, hit{i}))
		}
		for _, x := range list {
			n += x.x
		}
		a.Reset()
	}
	return n
}
func OKEveryTurnOfRange(a *arena.Arena, frames int) (n int) {
	var list [4]*hit
	for range frames {
		for i := range 4 {
			list[i] = arena.NewOf(a, hit{i})
		}
		n += list[0].x + list[3].x
		a.Reset()
	}
	return n
}
func OKEveryTurnOfGroups(a *arena.Arena, keys []string, frames int) (n int) {
	groups := map[string][]*hit{}
	for range frames {
		for _, k := range keys {
			groups[k] = groups[k][:0]
		}
		for i, k := range keys {
			groups[k] = append(groups[k], arena.NewOf(a, hit{i}))
		}
		for _, x := range groups[keys[0]] {
			n += x.x
		}
		a.Reset()
	}
	return n
}
