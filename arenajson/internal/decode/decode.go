package decode

import (
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file decodes a whole text, and finds its error.

// Unmarshal decodes a whole text into the value at p, of a plan, and returns p; if that is nil,
// into a new value. It returns the fault, or an error from elsewhere: of a method, or the budget's.
func Unmarshal(a *arena.Arena, data []byte, n *plan.Node, p unsafe.Pointer,
	set option.Flags, depth int) (at unsafe.Pointer, f *syntax.Fault, err error) {
	if n.Foreign && a.SelfContained() {
		return nil, nil, plan.Refuse(n)
	}
	// A panic passes through here without release: the decoder, which may be full of the text's
	// values, goes to the GC.
	defer arena.RecoverLimit(&err)
	if p == nil {
		p = n.Key.New(a)
	}
	d := decoders.Get().(*decoder)
	d.a, d.Data, d.Flags, d.Depth, d.root, d.matching = a, data, set, depth, n.Type, set.Matching()
	if set&option.Legacy != 0 {
		f, err = d.unmarshalLegacy(n, p, depth)
	} else {
		// Only white space may follow the value.
		i := d.value(n, p, text.SkipSpace(data, 0))
		if i != len(data) && (i < 0 || text.SkipSpace(data, i) < len(data)) {
			f, err = d.failure(depth)
		}
	}
	d.release()
	return p, f, err
}

// Valid reports whether a text is one valid value.
func Valid(data []byte, set option.Flags, depth int) bool {
	d := decoders.Get().(*decoder)
	d.Data, d.Flags, d.Depth = data, set, depth
	i := d.Skip(text.SkipSpace(data, 0))
	ok := i >= 0 && text.SkipSpace(data, i) == len(data)
	d.release()
	return ok
}

// failure returns the error that ended decoding; depth is the limit of the text. It diagnoses the
// syntax; an earlier mismatch or a method's error takes precedence.
func (d *decoder) failure(depth int) (*syntax.Fault, error) {
	if d.methodErr != nil {
		return nil, d.methodErr
	}
	// The first error in the text counts. The syntax is checked first, as a mismatch is found only
	// up to where decoding has stopped; either check may find a duplicate name.
	f := syntax.Diagnose(d.Data, d.Flags, depth)
	if f != nil && (d.err == nil || f.Err == syntax.ErrDuplicateName && f.Offset < d.err.Offset) {
		return f, nil
	}
	// Decoding and Diagnose must agree about each text.
	if d.err == nil {
		panic("arenajson: a valid text was not read; please report this")
	}
	return d.err, nil
}

// trust counts the large texts that were right since the last wrong one, or since the program
// began. Up to enoughTrust their syntax is checked before they are decoded: a wrong text may be
// followed by more, and decoding one into an any takes 5 times as long as checking it.
var trust atomic.Int32

// The number of texts before they are trusted, and the least size that counts.
const (
	enoughTrust = 64
	largeText   = 16 << 10 // bytes
)

// unmarshalLegacy is Unmarshal with the options of v1: if the syntax is wrong, it stores nothing.
// Checking first takes time, 10% of it for an any. A zero value without methods needs no check: on
// an error it is cleared again.
func (d *decoder) unmarshalLegacy(n *plan.Node, p unsafe.Pointer, depth int) (*syntax.Fault, error) {
	large := len(d.Data) >= largeText
	// Other goroutines may count at the same time, so the count is off by a few.
	if large && trust.Load() < enoughTrust {
		if e := syntax.Diagnose(d.Data, d.Flags, depth); e != nil {
			trust.Store(0)
			return e, nil
		}
		trust.Add(1)
	}
	// A value that isn't zero, or has methods, can't be restored by clearing it: check the syntax
	// in advance.
	fresh := !n.Foreign && !n.Quoted && mem.IsZero(p, n.Size)
	if !fresh {
		i := d.Skip(text.SkipSpace(d.Data, 0))
		if i < 0 || text.SkipSpace(d.Data, i) < len(d.Data) {
			return d.failure(depth)
		}
		d.Depth = depth
	}
	// A syntax error takes precedence over an error that has stopped decoding.
	i := d.value(n, p, text.SkipSpace(d.Data, 0))
	if d.fatal != nil && (!fresh || syntax.Diagnose(d.Data, d.Flags, depth) == nil) {
		return nil, d.fatal
	}
	if i < 0 || text.SkipSpace(d.Data, i) < len(d.Data) {
		if fresh {
			setZero(n, p)
		}
		if large {
			trust.Store(0)
		}
		d.methodErr = nil
		return d.failure(depth)
	}
	if d.methodErr != nil {
		return nil, d.methodErr
	}
	return d.saved, nil
}
