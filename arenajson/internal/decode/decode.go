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

// This file holds how a whole text is read, and what its error is.

// Unmarshal reads a whole text to the value at p, of a plan, and returns p; if that is
// nil, to a new value. It returns what is wrong, or an error that isn't this package's:
// of a method, or the budget's.
func Unmarshal(a *arena.Arena, data []byte, n *plan.Node, p unsafe.Pointer,
	set option.Flags, depth int) (at unsafe.Pointer, f *syntax.Fault, err error) {
	if n.Foreign && a.SelfContained() {
		return nil, nil, plan.Refuse(n)
	}
	// A panic goes through here, and the decoder to the GC: it may be full of what
	// it was at.
	defer arena.RecoverLimit(&err)
	if p == nil {
		p = n.Key.New(a)
	}
	d := decoders.Get().(*decoder)
	d.a, d.Data, d.Flags, d.Depth, d.root, d.matching = a, data, set, depth, n.Type, set.Matching()
	if set&option.Legacy != 0 {
		f, err = d.unmarshalLegacy(n, p, depth)
	} else {
		// What follows the value may be white space only.
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

// failure returns what has ended the decoder, depth being the limit of the text.
// What is wrong with the syntax is found out here; a mismatch counts if it comes
// first, and so does what a method returned.
func (d *decoder) failure(depth int) (*syntax.Fault, error) {
	if d.methodErr != nil {
		return nil, d.methodErr
	}
	// The first error in the text counts. The syntax is checked first, as a
	// mismatch is found only up to where reading has stopped; a duplicate name is
	// one of either.
	f := syntax.Diagnose(d.Data, d.Flags, depth)
	if f != nil && (d.err == nil || f.Err == syntax.ErrDuplicateName && f.Offset < d.err.Offset) {
		return f, nil
	}
	// Reading and Diagnose must agree about each text.
	if d.err == nil {
		panic("arenajson: a valid text was not read; please report this")
	}
	return d.err, nil
}

// trust is how many large texts were right since one was wrong, or since the program began. Up
// to enoughTrust their syntax is checked before they are read: where one was wrong there may be
// more, and to read one to an any takes 5 times as long as to check it.
var trust atomic.Int32

// After how many texts they are trusted, and which count.
const (
	enoughTrust = 64
	largeText   = 16 << 10 // bytes
)

// unmarshalLegacy is Unmarshal with the options of v1: if the syntax is wrong,
// nothing is stored. To check it first takes time, 10% of it for an any, which a
// value that is zero and has no methods doesn't need: there, what was stored can be
// cleared again.
func (d *decoder) unmarshalLegacy(n *plan.Node, p unsafe.Pointer, depth int) (*syntax.Fault, error) {
	large := len(d.Data) >= largeText
	// Another goroutine may count at the same time: it is a few texts more or less.
	if large && trust.Load() < enoughTrust {
		if e := syntax.Diagnose(d.Data, d.Flags, depth); e != nil {
			trust.Store(0)
			return e, nil
		}
		trust.Add(1)
	}
	// A value that isn't zero, or that methods read, can't be cleared as if nothing
	// had been stored: the syntax is checked in advance.
	fresh := !n.Foreign && !n.Quoted && mem.IsZero(p, n.Size)
	if !fresh {
		i := d.Skip(text.SkipSpace(d.Data, 0))
		if i < 0 || text.SkipSpace(d.Data, i) < len(d.Data) {
			return d.failure(depth)
		}
		d.Depth = depth
	}
	// What is wrong with the syntax counts before an error after which reading has
	// stopped.
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
