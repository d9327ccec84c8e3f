package arenaproto

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file decodes to structs that aren't messages of the official runtime, such as those of gogo/protobuf
// and of Kubernetes. Their plans are made from the tags of their fields.

// ErrStruct is [UnmarshalStruct]'s error for an input that is malformed, or has more than 10,000 levels.
var ErrStruct = decode.ErrInvalid

// ErrRequired is [UnmarshalStruct]'s error for a missing required field.
var ErrRequired = errors.New("arenaproto: a required field is missing")

// UnmarshalStruct decodes b to a struct whose fields have tags such as
//
//	`protobuf:"bytes,1,opt,name=metadata"`
//
// as gogo/protobuf generates them, for Kubernetes too. It merges the input into v. Messages may be
// pointers or in place, also in slices and maps. Oneofs, maps, casts, stdtime, stdduration and types
// with an Unmarshal method of their own (customtype) work as they do there. As there, strings need not
// be UTF-8.
//
// It returns an error if the input is malformed, a *[arena.LimitError] if the arena's budget doesn't allow
// for it, the errors of Unmarshal methods, and an error that says why if T can't be decoded: a tag
// doesn't fit its field, or the arena is self-contained and a method would store pointers to the
// Go heap there. v is then filled in part. It panics if v is nil, or the arena was freed.
func UnmarshalStruct[T any](a *arena.Arena, b []byte, v *T) error {
	t := reflect.TypeFor[T]()
	return unmarshalStruct(compile.StructPlanOf(t), a, b, unsafe.Pointer(v))
}

// unmarshalStruct is UnmarshalStruct for a type known by its plan.
func unmarshalStruct(sp *compile.StructPlan, a *arena.Arena, b []byte, p unsafe.Pointer) (err error) {
	if sp.Err != nil {
		return sp.Err
	}
	// The struct itself is a level.
	d := decode.Decoder{Arena: a, Depth: protowire.DefaultRecursionLimit - 1, Contained: a.SelfContained()}
	if d.Contained && sp.Plan.HeapOnly {
		return fmt.Errorf("arenaproto: type %v can't be decoded to a self-contained arena: "+
			"an Unmarshal method would put pointers to the Go heap into it", sp.Plan.Typ)
	}
	defer arena.RecoverLimit(&err)
	if len(b) == 0 {
		d.Check = sp.Plan.Required != 0
	} else if !d.All(sp.Plan, p, d.Input(b, false)) {
		if d.Err != nil {
			return d.Err
		}
		return ErrStruct
	}
	if d.Check {
		return ErrRequired
	}
	return nil
}
