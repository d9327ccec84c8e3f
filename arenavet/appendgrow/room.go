package appendgrow

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// fits reports whether an append to a slice that comes from source is seen not to
// exceed its capacity. Where the capacity isn't constant, that is where it has
// to do with what the length will be: nobody computes a capacity for nothing.
func fits(call *ssa.Call, source ssa.Value) bool {
	if limitsCap(call.Call.Args[0]) || guarded(call) || removes(call) {
		return true
	}
	r := roomOf(source)
	n := &need{source: source, seen: map[ssa.Value]int{}}
	length := n.upTo(call, r.length)
	for _, again := range n.again {
		loop := ownLoop(again.Block(), source)
		if !shares(exits(loop), r.leaves) && (r.capacity < 0 || !bounded(loop, r.capacity-r.length)) {
			return false
		}
	}
	if len(n.again) > 0 {
		return true
	}
	for _, s := range n.spreads {
		if !shares(leaves(s), r.leaves) {
			return false
		}
	}
	if r.capacity >= 0 {
		return len(n.spreads) == 0 && length <= r.capacity
	}
	return r.computed && (!r.full || n.fromPart)
}

// A room is what is known of the capacity of a slice in an arena.
type room struct {
	length, capacity int  // constants; a capacity of -1 is unknown, and a length of 0 may be
	computed         bool // the capacity was computed from something
	full             bool // length and capacity are the same
	leaves           map[ssa.Value]bool
}

// roomOf returns the room of the slice that an allocation returns.
func roomOf(source ssa.Value) room {
	r := room{capacity: -1, leaves: map[ssa.Value]bool{source: true}}
	call, ok := source.(*ssa.Call)
	if !ok {
		return r
	}
	f := api.Callee(&call.Call)
	if f == nil {
		return r
	}
	var length, capacity ssa.Value
	switch f.Name {
	case "MakeSlice", "MakeSliceUninit":
		length, capacity = api.Arg(&call.Call, 1), api.Arg(&call.Call, 2)
	case "Arena.AllocBytes", "Arena.AllocBytesUninit":
		length = api.Arg(&call.Call, 1)
		capacity = length
	case "Grow":
		capacity = api.Arg(&call.Call, 2)
	case "CopySlice":
		r.full = true
		addLeaves(r.leaves, api.Arg(&call.Call, 1))
	case "Arena.ReadAll":
		r.full = true
	}
	if capacity == nil {
		return r
	}
	r.full = length == capacity
	r.length, _ = defuse.Int(length)
	if c, ok := defuse.Int(capacity); ok {
		r.capacity = c
	} else {
		r.computed = true
	}
	addLeaves(r.leaves, capacity)
	return r
}

// A need is what is known of the length that a slice will have.
type need struct {
	source   ssa.Value
	seen     map[ssa.Value]int // those being looked at, with the number of appends behind them
	appends  int
	spreads  []ssa.Value       // slices and strings of unknown length that are appended
	again    []ssa.Instruction // at which a loop makes the slice longer each time
	fromPart bool              // the slice was cut down before
}

// upTo returns the largest length that v may have, given that of the source,
// and without spreads and loops.
func (n *need) upTo(v ssa.Value, length int) int {
	if v == n.source {
		return length
	}
	if before, ok := n.seen[v]; ok {
		if instr, ok := v.(ssa.Instruction); ok && n.appends > before {
			n.again = append(n.again, instr)
		}
		return 0
	}
	n.seen[v] = n.appends
	defer delete(n.seen, v)
	switch v := v.(type) {
	case *ssa.Call:
		if api.IsBuiltin(v, "append") {
			n.appends++
			defer func() { n.appends-- }()
			return n.upTo(v.Call.Args[0], length) + n.items(v)
		}
	case *ssa.Phi:
		most := 0
		for _, e := range v.Edges {
			most = max(most, n.upTo(e, length))
		}
		return most
	case *ssa.Slice:
		high, ok := defuse.Int(v.High)
		switch {
		case v.High == nil:
			return n.upTo(v.X, length)
		case ok:
			n.fromPart = true
			return high
		}
		n.fromPart = true
		if isLenOf(v.High, v.X) {
			return n.upTo(v.X, length)
		}
		return 0
	case *ssa.ChangeType:
		return n.upTo(v.X, length)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			most := 0
			for _, s := range defuse.Reaching(v) {
				most = max(most, n.upTo(s, length))
			}
			return most
		}
	}
	return 0
}

// items returns how many items a call of append appends, if it is known.
func (n *need) items(call *ssa.Call) int {
	items := call.Call.Args[1]
	if s, ok := items.(*ssa.Slice); ok && s.Low == nil && s.High == nil {
		if array, ok := s.X.(*ssa.Alloc); ok && array.Comment == "varargs" {
			return arrayLen(array)
		}
	}
	if c, ok := items.(*ssa.Const); ok {
		if c.IsNil() {
			return 0
		}
		return len(constant.StringVal(c.Value))
	}
	if c, ok := defuse.Int(lengthOf(items)); ok {
		return c
	}
	n.spreads = append(n.spreads, items)
	return 0
}
