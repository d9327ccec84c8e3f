package arenaproto

import (
	"cmp"
	"slices"
)

// This file holds the tables of a plan, in which ops are found by tags.

// Wire types.
const (
	wireVarint = iota
	wireFixed64
	wireBytes
	wireGroup
	wireEnd
	wireFixed32
)

// addAll enters ops into the tables, those with small numbers first, since the table of them is
// to have few gaps.
func (pl *plan) addAll(fields []*op) {
	slices.SortFunc(fields, func(f, g *op) int { return cmp.Compare(f.num, g.num) })
	for _, f := range fields {
		pl.add(f)
	}
}

// add enters an op into the tables, with all tags that the field may come with.
func (pl *plan) add(f *op) {
	f.setSlots()
	f.plain = plainKinds>>f.kind&1 != 0 && f.indirect == direct && !f.present
	pl.ops = append(pl.ops, f)
	switch k := f.kind; {
	case k == kindForeign:
		for _, w := range []uint32{wireVarint, wireFixed64, wireBytes, wireGroup, wireFixed32} {
			g := *f
			pl.enter(&g, w)
		}
	case k == kindLazy:
		if k = f.inner.kind; k == kindGroup || k == kindGroups {
			pl.enter(f, wireGroup)
		} else {
			pl.enter(f, wireBytes)
		}
		f.inner.tag, f.inner.wire, f.inner.width = f.tag, f.wire, f.width
	case k < kindBool:
		pl.enter(f, wireBytes)
	case k == kindVarints, k == kindFixeds:
		pl.enter(f, wireOf(f.scalar))
		packed := *f
		packed.kind = kindPacked
		pl.ops = append(pl.ops, &packed)
		pl.enter(&packed, wireBytes)
	case k == kindGroup || k == kindGroups:
		pl.enter(f, wireGroup)
	default:
		pl.enter(f, wireOf(k))
	}
}

// setSlots sets where allocators for what an op allocates are.
func (f *op) setSlots() {
	if f.indirect == boxed || f.indirect == wrapped {
		f.atSlot = slotOf(f.at)
	}
	if f.bytes > 0 {
		f.blockSlot = slotOf(f.block)
	}
	if f.inner != nil {
		f.inner.setSlots()
	}
}

// wireOf returns the wire type of values of a kind.
func wireOf(k kind) uint32 {
	switch k {
	case kindFixed32:
		return wireFixed32
	case kindFixed64:
		return wireFixed64
	}
	return wireVarint
}

// enter enters an op for its field's number and a wire type.
func (pl *plan) enter(f *op, wire uint32) {
	f.tag = uint32(f.num)<<3 | wire
	f.wire, f.width = 0, 0
	for t := f.tag; ; t >>= 7 {
		if f.width++; t < 0x80 {
			f.wire |= t << (8 * (f.width - 1))
			break
		}
		if f.width <= 4 {
			f.wire |= (t&0x7f | 0x80) << (8 * (f.width - 1))
		}
	}
	if f.num < 16 || int(f.num) < len(pl.index)/8*2 {
		if n := int(f.num+1) * 8; len(pl.index) < n {
			pl.index = append(pl.index, make([]*op, n-len(pl.index))...)
		}
		pl.index[f.tag] = f
		return
	}
	if pl.far == nil {
		pl.far = map[uint32]*op{}
	}
	pl.far[f.tag] = f
}
