package compile

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/encoding/protowire"
)

// An unmarshaler decodes itself, as generated types of gogo/protobuf do.
type unmarshaler interface{ Unmarshal(b []byte) error }

var unmarshalerType = reflect.TypeFor[unmarshaler]()

// StructPlanOf returns the plan of a struct type.
func StructPlanOf(t reflect.Type) *StructPlan {
	if sp, ok := structPlans.Load(t); ok {
		return sp.(*StructPlan)
	}
	c := structCompiler{plans: map[reflect.Type]*plan.Plan{}}
	sp := &StructPlan{}
	if t.Kind() != reflect.Struct {
		sp.Err = fmt.Errorf("arenaproto: %v is no struct", t)
	} else if sp.Plan, sp.Err = c.plan(t); sp.Err == nil {
		sp.Err = c.prove()
		spreadForeign(c.list)
	}
	kept, _ := structPlans.LoadOrStore(t, sp)
	return kept.(*StructPlan)
}

// prove compares plans with the Unmarshal methods that their types have: what a tag says may not be true.
func (c *structCompiler) prove() error {
	for _, pl := range c.list {
		if !reflect.PointerTo(pl.Typ).Implements(unmarshalerType) {
			continue
		}
		for _, f := range pl.Ops {
			for _, b := range probes(f) {
				if !agreesStruct(pl, b) {
					return fmt.Errorf("arenaproto: field %s of %v: its Unmarshal method makes something else of it", f.Field, pl.Typ)
				}
			}
		}
	}
	return nil
}

// agreesStruct says whether a plan and the type's Unmarshal method make the same of b. Empty lists and
// nil ones are the same.
func agreesStruct(pl *plan.Plan, b []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	ours, theirs := reflect.New(pl.Typ), reflect.New(pl.Typ)
	d := decode.Decoder{Depth: protowire.DefaultRecursionLimit}
	ok := d.Message(pl, ours.UnsafePointer(), d.Input(b, false), 0, 0) >= 0
	if err := theirs.Interface().(unmarshaler).Unmarshal(b); err != nil || !ok {
		return true // text that isn't UTF-8, or a required field
	}
	return reflect.DeepEqual(ours.Interface(), theirs.Interface())
}

// spreadForeign marks the plans that lead to methods in place.
func spreadForeign(list []*plan.Plan) {
	for changed := true; changed; {
		changed = false
		for _, pl := range list {
			for _, f := range pl.Ops {
				leads := f.Custom != nil || f.Sub != nil && f.Sub.Foreign ||
					f.Entry != nil && (f.Entry.Value.Custom != nil || f.Entry.Value.Sub != nil && f.Entry.Value.Sub.Foreign)
				if leads && !pl.Foreign {
					pl.Foreign, changed = true, true
				}
			}
		}
	}
}

// A StructPlan is a plan of a struct, or what is wrong with its tags.
type StructPlan struct {
	Plan *plan.Plan
	Err  error
}

var structPlans sync.Map // of reflect.Type to *structPlan
