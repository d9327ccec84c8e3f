// Package arenaslog has a [slog.Handler] for programs whose log records have values in arenas and are written later.
//
// A handler that writes a record at once, as those of package log/slog do, needs no help. One that puts it into a
// channel, a batch or a ring reads it after the end of the request, when its arena has been reset. [Handler] stands
// before it:
//
//	slog.SetDefault(slog.New(arenaslog.Handler(batching)))
//
// It copies a record to the Go heap: with an arena in the context only the parts in that arena, as [arena.CloneOut]
// does, and else everything that the record leads to, as [arena.DeepClone] does.
package arenaslog

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
)

// Handler returns a handler that passes copies to inner: of the message, and of the names and values of attributes
// and groups, including those of the logger. It resolves a [slog.LogValuer] at once, as its value may be in an arena.
// It formats values that must not be copied, such as a reflect.Value.
//
// So log with the context of the request ([slog.InfoContext]), if that has its arena ([arena.NewContext], or package
// arenahttp): then constant strings and values on the heap aren't copied. A record with a message, three names, and
// two strings, one of them in the arena, takes one allocation more, and six more without an arena in the context.
// Such a record must not refer to other arenas, such as a child's.
//
// Inner gets the context, too. It must not keep the context, whose arena ends with its request.
func Handler(inner slog.Handler) slog.Handler { return handler{inner} }

type handler struct{ inner slog.Handler }

// Enabled implements slog.Handler.
func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	c := copier{arena.FromContext(ctx)}
	out := slog.NewRecord(r.Time, r.Level, c.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(c.attr(a))
		return true
	})
	return h.inner.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.inner.WithAttrs(copier{}.attrs(attrs))}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.inner.WithGroup(copier{}.text(name))}
}

// A copier copies the values in its arena to the Go heap, or everything if the arena is nil.
type copier struct{ arena *arena.Arena }

func (c copier) text(s string) string {
	if c.arena != nil && !c.arena.Owns(unsafe.Pointer(unsafe.StringData(s))) {
		return s
	}
	return strings.Clone(s)
}

func (c copier) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(c.text(v.String()))
	case slog.KindGroup:
		v = slog.GroupValue(c.attrs(v.Group())...)
	case slog.KindAny:
		v = slog.AnyValue(c.any(v.Any()))
	}
	return slog.Attr{Key: c.text(a.Key), Value: v}
}

func (c copier) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = c.attr(a)
	}
	return out
}

// any copies a value of a type unknown to slog, or formats it if copying panics.
func (c copier) any(v any) (out any) {
	defer func() {
		if recover() != nil {
			out = fmt.Sprintf("%+v", v)
		}
	}()
	if c.arena == nil {
		return arena.DeepClone(v)
	}
	return arena.CloneOut(c.arena, v)
}
