package arenaproto

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file holds structs that are no messages of the official runtime: those of gogo/protobuf, say,
// and of Kubernetes. Their plans are made from the tags of their fields.

// ErrStruct is what [UnmarshalStruct] returns for an input that is wrong, or has more than 10,000 levels.
var ErrStruct = errors.New("arenaproto: cannot parse invalid wire-format data")

// ErrRequired is what [UnmarshalStruct] returns if a required field is missing.
var ErrRequired = errors.New("arenaproto: a required field is missing")

// An unmarshaler decodes itself, as generated types of gogo/protobuf do.
type unmarshaler interface{ Unmarshal(b []byte) error }

var (
	unmarshalerType = reflect.TypeFor[unmarshaler]()
	structPlans     sync.Map // of reflect.Type to *structPlan
)

// A structPlan is a plan of a struct, or what is wrong with its tags.
type structPlan struct {
	plan *plan
	err  error
}

// UnmarshalStruct decodes b to a struct whose fields have tags such as
//
//	`protobuf:"bytes,1,opt,name=metadata"`
//
// as gogo/protobuf generates them, for Kubernetes too. It adds to what is in v. Messages may be
// pointers or lie in place, also in slices and maps; oneofs, maps, casts, stdtime, stdduration and
// types with an Unmarshal method of their own, customtype, work as they do there. As
// there, strings need not be UTF-8.
//
// It returns an error if the input is wrong, a *[arena.LimitError] if the arena's budget doesn't allow
// for it, what Unmarshal methods return, and an error that says why if T can't be decoded: if a tag
// doesn't fit its field, or if the arena is self-contained and a method would put pointers to
// the Go heap there. v is then filled in part. It panics if v is nil, or the arena was freed.
func UnmarshalStruct[T any](a *arena.Arena, b []byte, v *T) error {
	t := reflect.TypeFor[T]()
	sp, ok := structPlans.Load(t)
	if !ok {
		sp = compileStruct(t)
	}
	return sp.(*structPlan).unmarshal(a, b, unsafe.Pointer(v))
}

// compileStruct makes the plan of a struct type, and keeps it.
func compileStruct(t reflect.Type) any {
	c := structCompiler{plans: map[reflect.Type]*plan{}}
	sp := &structPlan{}
	if t.Kind() != reflect.Struct {
		sp.err = fmt.Errorf("arenaproto: %v is no struct", t)
	} else if sp.plan, sp.err = c.plan(t); sp.err == nil {
		sp.err = c.prove()
		spreadForeign(c.list)
	}
	kept, _ := structPlans.LoadOrStore(t, sp)
	return kept
}

// prove compares plans with the Unmarshal methods that their types have: what a tag says may not be true.
func (c *structCompiler) prove() error {
	for _, pl := range c.list {
		if !reflect.PointerTo(pl.typ).Implements(unmarshalerType) {
			continue
		}
		for _, f := range pl.ops {
			for _, b := range probes(f) {
				if !pl.agreesStruct(b) {
					return fmt.Errorf("arenaproto: field %s of %v: its Unmarshal method makes something else of it", f.field, pl.typ)
				}
			}
		}
	}
	return nil
}

// agreesStruct says whether a plan and the type's Unmarshal method make the same of b. Empty lists and
// nil ones are the same.
func (pl *plan) agreesStruct(b []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	ours, theirs := reflect.New(pl.typ), reflect.New(pl.typ)
	d := decoder{depth: protowire.DefaultRecursionLimit}
	ok := d.message(pl, ours.UnsafePointer(), d.input(b, false), 0, 0) >= 0
	if err := theirs.Interface().(unmarshaler).Unmarshal(b); err != nil || !ok {
		return true // text that isn't UTF-8, or a required field
	}
	return reflect.DeepEqual(ours.Interface(), theirs.Interface())
}

// spreadForeign marks the plans that lead to methods in place.
func spreadForeign(list []*plan) {
	for changed := true; changed; {
		changed = false
		for _, pl := range list {
			for _, f := range pl.ops {
				leads := f.custom != nil || f.sub != nil && f.sub.foreign ||
					f.entry != nil && (f.entry.value.custom != nil || f.entry.value.sub != nil && f.entry.value.sub.foreign)
				if leads && !pl.foreign {
					pl.foreign, changed = true, true
				}
			}
		}
	}
}

func (sp *structPlan) unmarshal(a *arena.Arena, b []byte, p unsafe.Pointer) (err error) {
	if sp.err != nil {
		return sp.err
	}
	d := decoder{a: a, depth: protowire.DefaultRecursionLimit - 1, contained: a.SelfContained()}
	if d.contained && sp.plan.foreign {
		return fmt.Errorf("arenaproto: type %v can't be decoded to a self-contained arena: an Unmarshal method would put pointers to the Go heap into it", sp.plan.typ)
	}
	defer arena.RecoverLimit(&err)
	if len(b) == 0 {
		d.check = sp.plan.required != 0
	} else if !d.all(sp.plan, p, d.input(b, false)) {
		if d.err != nil {
			return d.err
		}
		return ErrStruct
	}
	if d.check {
		return ErrRequired
	}
	return nil
}
