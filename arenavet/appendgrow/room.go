package appendgrow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// fits reports whether an append to a slice from source certainly stays within its capacity. A computed capacity is
// assumed to suffice: nobody computes a capacity for nothing. A constant one is assumed to suffice for an append
// outside of loops; a loop must be bounded by the spare capacity.
func fits(call *ssa.Call, source ssa.Value) bool {
	if limitsCap(call.Call.Args[0]) || guarded(call) || removes(call) {
		return true
	}
	length, capacity := roomOf(source)
	if capacity == nil {
		return false
	}
	most, constant := defuse.Int(capacity)
	if !constant {
		return length != capacity || isCut(call, nil)
	}
	least, _ := defuse.Int(length)
	if loop := ownLoop(call.Block(), source); len(loop) > 0 && !isCut(call, loop) {
		return bounded(loop, most-least)
	}
	return (least < most || isCut(call, nil)) && source.Parent() == call.Parent() && hasLength(call.Call.Args[1])
}

// roomOf returns the length and the capacity of an allocated slice; the capacity is nil if the slice is allocated full.
func roomOf(source ssa.Value) (length, capacity ssa.Value) {
	call, ok := source.(*ssa.Call)
	if !ok {
		return nil, nil
	}
	f := api.Callee(&call.Call)
	if f == nil {
		return nil, nil
	}
	switch f.Name {
	case "MakeSlice", "MakeSliceUninit":
		return api.Arg(&call.Call, 1), api.Arg(&call.Call, 2)
	case "Arena.AllocBytes", "Arena.AllocBytesUninit":
		return api.Arg(&call.Call, 1), api.Arg(&call.Call, 1)
	case "Grow":
		return nil, api.Arg(&call.Call, 2)
	}
	return nil, nil
}

// isCut reports whether an append is to a part of a slice, or to a value made from one: cut in a loop, if there is one.
func isCut(call *ssa.Call, loop map[*ssa.BasicBlock]bool) bool {
	for v := range defuse.All(call.Call.Args[0]) {
		if s, ok := v.(*ssa.Slice); ok && s.High != nil && !isLenOf(s.High, s.X) && (loop == nil || loop[s.Block()]) {
			return true
		}
	}
	return false
}

// hasLength reports whether the number of appended items is known.
func hasLength(items ssa.Value) bool {
	if s, ok := items.(*ssa.Slice); ok && s.Low == nil && s.High == nil {
		array, ok := s.X.(*ssa.Alloc)
		return ok && array.Comment == "varargs"
	}
	_, isConst := items.(*ssa.Const)
	_, isKnown := defuse.Int(lengthOf(items))
	return isConst || isKnown
}
