// Package arenaslog has a [slog.Handler] for programs whose log records have values of arenas, and are written later.
//
// A handler that writes a record at once, as those of package log/slog do, needs no help. One that puts it into a
// channel, a batch or a ring reads it when the request is over, and its arena reset. [Handler] stands before it:
//
//	slog.SetDefault(slog.New(arenaslog.Handler(batching)))
//
// A record is copied to the Go heap then: if its context has an arena, what is in that, as [arena.CloneOut] does, and
// else all that the record leads to, as [arena.DeepClone] does.
package arenaslog

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
)

// Handler returns a handler that gives inner copies of what it is given: of the message, and of the names and the
// values of attributes and groups, also those of the logger. A [slog.LogValuer] is asked for its value at once, as that
// may be in an arena. What must not be copied, such as a reflect.Value, is formatted.
//
// So log with the context of the request ([slog.InfoContext]), if that has its arena ([arena.NewContext], or package
// arenahttp): then constant strings and what is on the heap aren't copied. A record with a message, three names, and
// two strings, one of them in the arena, takes one allocation more, and six more without an arena in the context. Such
// a record must have nothing of other arenas, such as a child's.
//
// Inner gets the context, too. It must not keep that, as the arena of a context ends with its request.
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

// A copier copies what is in its arena to the Go heap, or everything if that is nil.
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

// any copies a value of a type that slog doesn't know, or formats it if that panics.
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
