package compile

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file makes plans of structs that aren't messages of the official runtime, and compares them with the
// methods of their types.

// A StructPlan is a plan of a struct, or the reason why there is none.
type StructPlan struct {
	Plan *plan.Plan
	Err  error
}

// structPlans has the results of StructPlanOf, as *StructPlan, by reflect.Type.
var structPlans sync.Map

// StructPlanOf returns the plan of a struct type.
func StructPlanOf(t reflect.Type) *StructPlan {
	if sp, ok := structPlans.Load(t); ok {
		return sp.(*StructPlan)
	}
	// Goroutines that call at the same time each make a plan. The first one stays.
	c := structCompiler{plans: map[reflect.Type]*plan.Plan{}}
	sp := &StructPlan{}
	if t.Kind() != reflect.Struct {
		sp.Err = fmt.Errorf("arenaproto: %v is no struct", t)
	} else if sp.Plan, sp.Err = c.plan(t); sp.Err == nil {
		sp.Err = c.prove()
		spreadHeapOnly(c.list)
	}
	kept, _ := structPlans.LoadOrStore(t, sp)
	return kept.(*StructPlan)
}

// prove compares plans with the Unmarshal methods of their types: tags may be wrong.
func (c *structCompiler) prove() error {
	for _, pl := range c.list {
		if !reflect.PointerTo(pl.Typ).Implements(unmarshalerType) {
			continue
		}
		for _, f := range pl.Ops {
			for _, b := range probes(f) {
				if !agreesStruct(pl, b) {
					const format = "arenaproto: field %s of %v: its Unmarshal method makes something else of it"
					return fmt.Errorf(format, f.Field, pl.Typ)
				}
			}
		}
	}
	return nil
}

// agreesStruct reports whether a plan and the type's Unmarshal method decode b to the same value. It ignores
// inputs that one of them refuses.
func agreesStruct(pl *plan.Plan, b []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	// Plans of structs can't fall back on the official runtime, so a difference is an error.
	ours, theirs := reflect.New(pl.Typ), reflect.New(pl.Typ)
	d := decode.Decoder{Depth: protowire.DefaultRecursionLimit}
	ok := d.Message(pl, ours.UnsafePointer(), d.Input(b, false), 0, 0) >= 0
	if err := theirs.Interface().(unmarshaler).Unmarshal(b); err != nil || !ok {
		return true // text that isn't UTF-8, or a required field
	}
	return reflect.DeepEqual(ours.Interface(), theirs.Interface())
}

// spreadHeapOnly marks the plans that lead to values with methods: these may store pointers to the heap.
func spreadHeapOnly(list []*plan.Plan) {
	// Repeat until nothing changes, since plans may refer to each other in cycles.
	for changed := true; changed; {
		changed = false
		for _, pl := range list {
			for _, f := range pl.Ops {
				if !pl.HeapOnly && (storesHeap(f) || f.Entry != nil && storesHeap(f.Entry.Value)) {
					pl.HeapOnly, changed = true, true
				}
			}
		}
	}
}

// storesHeap reports whether a field has values with methods, in it or below.
func storesHeap(f *plan.Op) bool { return f.Custom != nil || f.Sub != nil && f.Sub.HeapOnly }
