package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// Unmarshal reads the JSON value in data to what v points to, as json.Unmarshal of package
// encoding/json/v2 does; with [DefaultOptionsV1] as that of encoding/json. Whatever it
// allocates for that, strings, slices and what pointers point to, comes from a, except
// for Go maps, which the runtime makes, and for what methods of types allocate. A nil a is
// the Go heap.
//
// It returns an [*Error] if the text is wrong or doesn't fit, a *[arena.LimitError] if the
// arena's budget doesn't allow for the value, and what methods of types return. What was
// allocated until then stays allocated until the arena is reset. It panics if v isn't a
// pointer, and if the arena was freed.
//
// data isn't used any more after Unmarshal returns, but for [ReferenceInput].
func Unmarshal(a *arena.Arena, data []byte, v any, opts ...Options) error {
	n, p := planOfPointer(v)
	if n == nil || p == nil {
		if join(opts).set&legacy != 0 {
			return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
		}
		return &Error{Type: reflect.TypeOf(v), Err: errors.New("not a pointer to a value, or nil")}
	}
	d := decoders.Get().(*decoder)
	err := d.unmarshal(a, data, n, p, opts)
	d.release()
	return err
}

// New reads the JSON value in data to a new T, which is in the arena too. It is nil if there
// is an error. See [Unmarshal].
func New[T any](a *arena.Arena, data []byte, opts ...Options) (*T, error) {
	v, err := newIn[T](a)
	if err == nil {
		err = Unmarshal(a, data, v, opts...)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// newIn is arena.New, which returns a *LimitError instead of panicking with it.
func newIn[T any](a *arena.Arena) (v *T, err error) {
	defer arena.RecoverLimit(&err)
	return arena.New[T](a), nil
}

// Valid says whether data is one valid JSON value. The options say whether duplicate names
// and invalid UTF-8 count, and how deep it may be.
func Valid(data []byte, opts ...Options) bool {
	o := join(opts)
	if o.hasBytes && int64(len(data)) > o.bytes {
		return false
	}
	d := decoders.Get().(*decoder)
	d.data, d.flags, d.depth = data, o.set, o.depth
	i := d.skip(space(data, 0))
	ok := i >= 0 && space(data, i) == len(data)
	d.release()
	return ok
}

// unmarshal reads a whole text.
func (d *decoder) unmarshal(a *arena.Arena, data []byte, n *node, p unsafe.Pointer, opts []Options) (err error) {
	o := join(opts)
	d.a, d.data, d.flags, d.depth, d.root = a, data, o.set, o.depth, n.typ
	if o.hasBytes && int64(len(data)) > o.bytes {
		return &Error{Offset: o.bytes, Err: ErrBytes}
	}
	if n.foreign && a.SelfContained() {
		return refuse(n)
	}
	defer arena.RecoverLimit(&err)
	if d.flags&legacy != 0 {
		return d.unmarshalLegacy(n, p, o.depth)
	}
	i := d.value(n, p, space(data, 0))
	if i >= 0 && i < len(data) {
		if i = space(data, i); i < len(data) {
			i = -1
		}
	}
	if i < 0 {
		err = d.failure(o.depth)
		if e, ok := err.(*Error); ok && e.Type == nil && !n.foreign && o.depth == defaultDepth {
			e.asStd(data, n.typ, d.flags)
		}
		return err
	}
	return nil
}

// refuse says that a self-contained arena can't hold the values of a type.
func refuse(n *node) error {
	return fmt.Errorf("arenajson: type %v can't be read to a self-contained arena: it is an interface with methods, or a method "+
		"such as UnmarshalJSON would put pointers to the Go heap into it; implement UnmarshalerArena", n.firstForeign(map[*node]bool{}))
}

// firstForeign returns a type in n's that has methods.
func (n *node) firstForeign(seen map[*node]bool) reflect.Type {
	if n.kind == kindMethod || n.kind == kindText || n.kind == kindTime || n.kind == kindInterface {
		return n.typ
	}
	seen[n] = true
	next := []*node{n.elem, n.mapKey}
	if n.fields != nil {
		for i := range n.fields.list {
			next = append(next, n.fields.list[i].node)
		}
	}
	for _, m := range next {
		if m != nil && m.foreign && !seen[m] {
			return m.firstForeign(seen)
		}
	}
	return n.typ
}

// failure returns what has ended the decoder.
func (d *decoder) failure(depth int) error {
	if d.fault != nil {
		return d.fault
	}
	if e := diagnose(d.data, d.flags, depth); e != nil && (d.err == nil || e.Err == ErrDuplicateName && e.Offset < d.err.Offset) {
		return e
	}
	if d.err == nil {
		panic("arenajson: a valid text was not read; please report this")
	}
	return d.err
}

// wary is for how many large texts the syntax is checked before they are read: where one was wrong there
// may be more, and to read one to an any takes 5 times as long as to check it.
var wary atomic.Int32

const (
	waryTexts = 64
	largeText = 16 << 10 // bytes
)

// unmarshalLegacy is unmarshal with the options of v1: if the syntax is wrong, nothing is
// stored. To check it first takes time, 10% of it for an any, which a value that is zero and has no
// methods doesn't need: there, what was stored can be taken back.
func (d *decoder) unmarshalLegacy(n *node, p unsafe.Pointer, depth int) error {
	large := len(d.data) >= largeText
	if large && wary.Load() > 0 {
		wary.Add(-1)
		if e := diagnose(d.data, d.flags, depth); e != nil {
			wary.Store(waryTexts)
			return e
		}
	}
	fresh := !n.foreign && !n.quoted && mem.IsZero(p, n.size)
	if !fresh {
		i := d.skip(space(d.data, 0))
		if i < 0 || space(d.data, i) < len(d.data) {
			return d.failure(depth)
		}
		d.depth = depth
	}
	i := d.value(n, p, space(d.data, 0))
	if d.fatal != nil && (!fresh || diagnose(d.data, d.flags, depth) == nil) {
		return d.fatal
	}
	if i < 0 || space(d.data, i) < len(d.data) {
		if fresh {
			setZero(n, p)
		}
		if large {
			wary.Store(waryTexts)
		}
		d.fault = nil
		return d.failure(depth)
	}
	if d.fault != nil {
		return d.fault
	}
	if d.saved != nil {
		return d.saved
	}
	return nil
}
