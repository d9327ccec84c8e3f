package services

import (
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

// Copies of slices and maps, whose elements lead where they have led.
type track struct {
	id    int
	trail []int
	note  string
}
type tracker struct {
	a     *arena.Arena
	shown []track
	named map[string]track
	best  track
	ring  [4][]track
}

func (b *tracker) tracks(ids []int) []track {
	list := arena.MakeSlice[track](b.a, len(ids), len(ids))
	for n := range ids {
		list[n].trail = arena.CopySlice(b.a, ids[:n])
	}
	return list
}
func (b *tracker) keep(list []track) { b.ring[0] = slices.Clone(list) }
func (b *tracker) OKCloneDeep(ids []int) {
	list := slices.Clone(b.tracks(ids))
	for n := range list {
		list[n].trail = slices.Clone(list[n].trail)
	}
	b.shown = list
	b.a.Reset()
}
func (b *tracker) OKCloneDeepAt(ids []int) {
	list := slices.Clone(b.tracks(ids))
	for n := range list {
		q := &list[n]
		q.trail = slices.Clone(q.trail)
	}
	b.shown = list
	b.a.Reset()
}
func (q *track) detach() {
	q.trail = slices.Clone(q.trail)
	q.note = strings.Clone(q.note)
}
func (b *tracker) OKCloneDetached(ids []int) {
	b.shown = slices.Clone(b.tracks(ids))
	for n := range b.shown {
		b.shown[n].detach()
	}
	b.a.Reset()
}
func detachTracks(list []track) {
	for n, q := range list {
		q.trail = slices.Clone(q.trail)
		list[n] = q
	}
}
func (b *tracker) OKCloneDetachedAll(ids []int) {
	b.shown = slices.Clone(b.tracks(ids))
	detachTracks(b.shown)
	b.a.Reset()
}
func (b *tracker) OKCloneMapDeep(text string) {
	m := maps.Clone(map[string]track{"": {note: b.a.AllocString(text)}})
	for k, q := range m {
		q.note = strings.Clone(q.note)
		m[k] = q
	}
	b.named = m
	b.a.Reset()
}
func (b *tracker) OKCloneNumbers(ids []int) {
	b.ring[0] = slices.Clone(b.ring[1])
	list := slices.Clone(b.tracks(ids))
	slices.SortFunc(list, func(x, y track) int { return len(x.trail) - len(y.trail) })
	b.best.id = list[0].id
	b.best.trail = slices.Clone(list[0].trail)
	b.a.Reset()
}
func (b *tracker) OKCloneOld(ids []int) {
	old := slices.Clone(b.shown)
	b.shown = old[:0]
	list := b.tracks(ids)
	for _, q := range list {
		b.shown = append(b.shown, track{id: q.id, trail: slices.Clone(q.trail)})
	}
	b.shown = slices.Insert(b.shown, 0, track{id: len(list)})
	b.a.Reset()
}
