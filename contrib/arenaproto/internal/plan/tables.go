package plan

import (
	"cmp"
	"slices"

	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
)

// This file enters ops into the tables of a plan: Index for small numbers, where a look-up is one load,
// and far, a map, for others.

// AddAll enters ops into the tables, small numbers first: a number goes into Index only if that leaves few
// gaps.
func (pl *Plan) AddAll(fields []*Op) {
	slices.SortFunc(fields, func(f, g *Op) int { return cmp.Compare(f.Num, g.Num) })
	for _, f := range fields {
		pl.Add(f)
	}
}

// plainKinds are the kinds that the decoder's plain reads if values are in the struct itself.
const plainKinds = 1<<KindString | 1<<KindBytes | 1<<KindBool | 1<<KindInt32 | 1<<KindInt64 |
	1<<KindSint32 | 1<<KindSint64 | 1<<KindFixed32 | 1<<KindFixed64

// Add enters an op into the tables, for all tags that the field may have. A field that is left to the
// official runtime may have any wire type. A list that isn't packed may come packed, and gets another op for
// that.
func (pl *Plan) Add(f *Op) {
	f.setSlots()
	f.Plain = plainKinds>>f.Kind&1 != 0 && f.Indirect == Direct && !f.Present
	pl.Ops = append(pl.Ops, f)
	// An op has one tag, so each further tag takes a copy.
	switch k := f.Kind; {
	case k == KindForeign:
		for _, w := range []uint32{
			wire.TypeVarint, wire.TypeFixed64, wire.TypeBytes, wire.TypeGroup, wire.TypeFixed32,
		} {
			g := *f
			pl.enter(&g, w)
		}
	case k == KindLazy:
		if k = f.Inner.Kind; k == KindGroup || k == KindGroups {
			pl.enter(f, wire.TypeGroup)
		} else {
			pl.enter(f, wire.TypeBytes)
		}
		f.Inner.Tag, f.Inner.Wire, f.Inner.Width = f.Tag, f.Wire, f.Width
	case k < KindBool:
		pl.enter(f, wire.TypeBytes)
	case k == KindVarints, k == KindFixeds:
		pl.enter(f, WireOf(f.Scalar))
		packed := *f
		packed.Kind = KindPacked
		pl.Ops = append(pl.Ops, &packed)
		pl.enter(&packed, wire.TypeBytes)
	case k == KindGroup || k == KindGroups:
		pl.enter(f, wire.TypeGroup)
	default:
		pl.enter(f, WireOf(k))
	}
}

// setSlots sets the slots of the types that an op allocates.
func (f *Op) setSlots() {
	if f.Indirect == Boxed || f.Indirect == Wrapped {
		f.AtSlot = slotOf(f.At)
	}
	if f.Stride > 0 {
		f.BlockSlot = slotOf(f.Block)
	}
	if f.Inner != nil {
		f.Inner.setSlots()
	}
}

// WireOf returns the wire type of numbers of a kind.
func WireOf(k Kind) uint32 {
	switch k {
	case KindFixed32:
		return wire.TypeFixed32
	case KindFixed64:
		return wire.TypeFixed64
	}
	return wire.TypeVarint
}

// enter enters an op for its field's number and a wire type, and sets the usual encoding of the tag. Index
// has room for eight tags of each number. It grows for a number below 16, or if it has at least half of the
// size needed.
func (pl *Plan) enter(f *Op, wire uint32) {
	f.Tag = uint32(f.Num)<<3 | wire
	// The tag is a varint. Wire has the first four bytes of a longer one, which aren't compared.
	f.Wire, f.Width = 0, 0
	for t := f.Tag; ; t >>= 7 {
		if f.Width++; t < 0x80 {
			f.Wire |= t << (8 * (f.Width - 1))
			break
		}
		if f.Width <= 4 {
			f.Wire |= (t&0x7f | 0x80) << (8 * (f.Width - 1))
		}
	}
	if f.Num < 16 || int(f.Num) < len(pl.Index)/8*2 {
		if n := int(f.Num+1) * 8; len(pl.Index) < n {
			pl.Index = append(pl.Index, make([]*Op, n-len(pl.Index))...)
		}
		pl.Index[f.Tag] = f
		return
	}
	if pl.far == nil {
		pl.far = map[uint32]*Op{}
	}
	pl.far[f.Tag] = f
}
