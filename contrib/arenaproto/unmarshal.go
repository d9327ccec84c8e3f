package arenaproto

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// This file decodes whole inputs. There are four ways:
//
//	decode  by the plan, which is what usually happens
//	again   by the official runtime, after a failed attempt: it finds the error
//	leave   by the official runtime, which decodes all messages of the type
//	merge   to a message that isn't empty

// Unmarshal decodes b to m, as proto.Unmarshal does, but with the submessages, lists, strings and bytes of
// m in the arena. m itself doesn't move; see [New]. A nil a is the Go heap.
//
// It returns the error that proto.Unmarshal would, or a *[arena.LimitError] if the arena's budget doesn't allow for the
// message; m is then filled in part. It panics if m is nil, or the arena was freed. It doesn't keep b. Like the arena,
// it is for one goroutine at a time.
func Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, b, m)
}

// New decodes b to a new message, which is in the arena too: only Go maps of more than eight entries are
// allocated on the heap. It returns nil if there is an error. See [Unmarshal].
func New[T any, P interface {
	*T
	proto.Message
}](a *arena.Arena, b []byte) (P, error) {
	m, err := newIn[T](a)
	if err == nil {
		err = UnmarshalOptions{}.unmarshal(a, b, P(m), true)
	}
	if err != nil {
		return nil, err
	}
	return P(m), nil
}

// newIn is arena.New, but returns a *LimitError instead of panicking with it.
func newIn[T any](a *arena.Arena) (v *T, err error) {
	defer arena.RecoverLimit(&err)
	return arena.New[T](a), nil
}

// Unmarshal decodes b to m, as the function [Unmarshal] does, with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, b []byte, m proto.Message) error {
	if !o.Batch || a != nil || m == nil {
		return o.unmarshal(a, b, m, false)
	}
	a = arenaext.LendBatch(batches, string(m.ProtoReflect().Descriptor().FullName()))
	err := o.unmarshal(a, b, m, false)
	batches.Put(a)
	return err
}

// batches has the arenas for UnmarshalOptions.Batch. A message that panics leaves its arena to the GC.
var batches = arena.NewPool(arena.WithName("arenaproto.Batch"))

// unmarshal is Unmarshal; fresh means that m is new, so it needn't be examined.
func (o UnmarshalOptions) unmarshal(a *arena.Arena, b []byte, m proto.Message, fresh bool) error {
	// The official runtime refuses a nil m, or one that isn't a pointer to a struct.
	pl, p := planOfMessage(m)
	if pl == nil || p == nil {
		return o.official().Unmarshal(b, m)
	}
	if pl.Official != "" {
		if !a.Owns(p) {
			return o.official().Unmarshal(b, m)
		}
		return o.leave(a, b, m, p)
	}
	// Without Merge the message is reset first, as in proto.Unmarshal.
	if !fresh && !isEmpty(pl, p) {
		if o.Merge {
			return o.merge(a, b, m, pl, p)
		}
		proto.Reset(m)
	}
	done, err := o.decode(a, b, m, pl, p)
	if !done {
		return o.again(a, b, m, p)
	}
	return err
}

// isEmpty reports whether all fields of a message are zero, so that it need not be reset. The official
// runtime's state in front of the fields doesn't count.
func isEmpty(pl *plan.Plan, p unsafe.Pointer) bool {
	size := pl.Typ.Size()
	rest := pl.State + pl.StateSize
	return mem.IsZero(p, pl.State) && mem.IsZero(mem.Add(p, rest), size-rest)
}

// official returns the options for the official runtime.
func (o *UnmarshalOptions) official() proto.UnmarshalOptions {
	return proto.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown,
		Resolver: o.Resolver, RecursionLimit: o.RecursionLimit, NoLazyDecoding: o.NoLazyDecoding,
	}
}

// decode decodes b to the message m at p by its plan. done means that the official runtime would give the same
// result and error. Otherwise that runtime must decode b again: the message is then filled in part.
func (o *UnmarshalOptions) decode(
	a *arena.Arena, b []byte, m proto.Message, pl *plan.Plan, p unsafe.Pointer,
) (done bool, err error) {
	d := decode.Decoder{
		Arena: a, Depth: o.RecursionLimit, Contained: a.SelfContained(),
		Discard: o.DiscardUnknown, NoLazy: o.NoLazyDecoding, Resolver: o.Resolver,
	}
	if d.Depth == 0 {
		d.Depth = protowire.DefaultRecursionLimit
	}
	// The message itself is a level. One that can't be in this arena is decoded elsewhere.
	if d.Depth--; d.Depth < 0 || d.Contained && pl.HeapOnly && a.Owns(p) {
		return false, nil
	}
	// A panic with a *LimitError is a result from here on.
	done = true
	defer arena.RecoverLimit(&err)
	if len(b) > 0 {
		if !d.All(pl, p, d.Input(b, o.AliasBuffer)) {
			return false, nil
		}
	} else if pl.Required != 0 {
		d.Check = true
	}
	// The messages point to the type's info, which the plan keeps alive.
	if d.Contained {
		a.KeepAlive(pl)
	}
	if d.Check && pl.Demanding && !o.AllowPartial {
		return true, o.missing(b, m)
	}
	return true, nil
}

// missing returns the error for required fields that m lacks. The official runtime overlooks some of them: if a
// map's value comes in several parts, and in lazy fields. Then there is no error.
func (o *UnmarshalOptions) missing(b []byte, m proto.Message) error {
	err := proto.CheckInitialized(m)
	if err == nil || o.official().Unmarshal(b, m.ProtoReflect().New().Interface()) == nil {
		return nil
	}
	return err
}

// again decodes b by the official runtime, after an attempt that failed.
func (o *UnmarshalOptions) again(a *arena.Arena, b []byte, m proto.Message, p unsafe.Pointer) error {
	proto.Reset(m)
	return o.leave(a, b, m, p)
}

// leave lets the official runtime decode b to m. If m has memory of a self-contained arena, b is decoded to
// another message on the heap. The arena keeps that alive, and m becomes a copy of it.
func (o *UnmarshalOptions) leave(a *arena.Arena, b []byte, m proto.Message, p unsafe.Pointer) error {
	if !a.SelfContained() || !o.Merge && !a.Owns(p) {
		return o.official().Unmarshal(b, m)
	}
	// With Merge, c starts as a copy of m.
	t := reflect.TypeOf(m).Elem()
	c := m.ProtoReflect().New().Interface()
	if o.Merge {
		c = proto.Clone(m)
	}
	official := o.official()
	official.NoLazyDecoding = true // later decoding would store pointers in m that the GC can't see
	err := official.Unmarshal(b, c)
	mem.Value(t, p).Set(reflect.ValueOf(c).Elem())
	a.KeepAlive(c)
	return err
}

// merge decodes b to a message that isn't empty. It decodes to another one first, which it drops: if b is
// malformed, the message must be as the official runtime leaves it.
func (o *UnmarshalOptions) merge(a *arena.Arena, b []byte, m proto.Message, pl *plan.Plan, p unsafe.Pointer) error {
	if a.SelfContained() {
		return o.leave(a, b, m, p)
	}
	// Rewind reclaims the trial's memory.
	trial := reflect.New(pl.Typ)
	mark := a.Mark()
	partial := *o
	partial.AllowPartial = true
	done, err := partial.decode(a, b, trial.Interface().(proto.Message), pl, trial.UnsafePointer())
	a.Rewind(mark)
	if err != nil {
		return err
	}
	if done {
		if done, err = o.decode(a, b, m, pl, p); done {
			return err
		}
	}
	return o.official().Unmarshal(b, m)
}
