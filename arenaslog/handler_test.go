package arenaslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaslog"
	"github.com/harena-go/arena/arenatest"
)

// later keeps records, and writes them on request.
type later struct {
	slog.Handler
	kept *[]func()
}

func (l later) Handle(ctx context.Context, r slog.Record) error {
	*l.kept = append(*l.kept, func() { l.Handler.Handle(context.Background(), r) })
	return nil
}
func (l later) WithAttrs(attrs []slog.Attr) slog.Handler { return lazy{l, attrs, ""} }
func (l later) WithGroup(name string) slog.Handler       { return lazy{l, nil, name} }

// lazy adds attributes and a group when a record is written: TextHandler formats them at once.
type lazy struct {
	later
	attrs []slog.Attr
	group string
}

func (l lazy) Handle(ctx context.Context, r slog.Record) error {
	*l.kept = append(*l.kept, func() {
		h := l.Handler.WithAttrs(l.attrs)
		if l.group != "" {
			h = h.WithGroup(l.group)
		}
		h.Handle(context.Background(), r)
	})
	return nil
}

func write(kept []func()) {
	for _, f := range kept {
		f()
	}
}

// Example logs values in an arena to a handler that writes after the Reset.
func Example() {
	var kept []func()
	text := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	logger := slog.New(arenaslog.Handler(later{text, &kept}))

	a := arena.NewArena()
	ctx := arena.NewContext(context.Background(), a) // as arenahttp does it for a request
	logger.InfoContext(ctx, "found", "name", a.AllocString("ada"))
	a.Reset()
	a.AllocString("bob")
	write(kept)
	// Output: level=INFO msg=found name=ada
}

func ExampleHandler() {
	slog.New(arenaslog.Handler(slog.DiscardHandler)).Info("ready")
	// Output:
}

func TestSlogtest(t *testing.T) {
	var out bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out.Reset()
		return arenaslog.Handler(slog.NewJSONHandler(&out, nil))
	}, func(t *testing.T) map[string]any {
		m := map[string]any{}
		if err := json.Unmarshal(out.Bytes(), &m); err != nil {
			t.Error(err)
		}
		return m
	})
}

// A valuer's value is in its arena.
type valuer struct {
	a *arena.Arena
	s string
}

func (v *valuer) LogValue() slog.Value {
	return slog.GroupValue(slog.String(v.a.AllocString("inner"), v.s), slog.Any("deep", v.s))
}

type user struct {
	Name string
	Tags []string
}

// log writes a record with something of an arena in each place where that may be.
func log(ctx context.Context, h slog.Handler, a *arena.Arena) {
	s := func(text string) string { return a.AllocString(text) }
	l := slog.New(h)
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, s("message"), 0)
	r.AddAttrs(slog.String(s("key"), s("value")), slog.Int("n", 7),
		slog.Any("user", arena.NewOf(a, user{s("ada"), arena.Append(a, nil, s("x"), s("y"))})),
		slog.Any("valuer", arena.NewOf(a, valuer{a, s("of the valuer")})),
		slog.Group(s("group"), slog.Group("in", slog.String("k", s("v"))), slog.Any("err", fmt.Errorf("%s", s("error")))),
		slog.Any("reflected", reflect.ValueOf(arena.NewOf(a, 7)).Elem()))
	l.With(s("with"), s("attribute")).Handler().Handle(ctx, r)
	l.WithGroup(s("named")).Handler().Handle(ctx, r)
}

// TestLater: the records written after the Reset are the same as those written at once, and no kept part of them is
// the arena's.
func TestLater(t *testing.T) {
	for _, inContext := range []bool{true, false} {
		for _, json := range []bool{true, false} {
			var now, then bytes.Buffer
			to := func(w *bytes.Buffer) slog.Handler {
				if json {
					return slog.NewJSONHandler(w, nil)
				}
				return slog.NewTextHandler(w, nil)
			}
			var kept []func()
			a := arenatest.New(t)
			arenatest.Hold(t, &kept)
			ctx := context.Background()
			if inContext {
				ctx = arena.NewContext(ctx, a)
			}
			log(ctx, arenaslog.Handler(to(&now)), a)
			log(ctx, arenaslog.Handler(later{to(&then), &kept}), a)
			a.Reset()
			write(kept)
			if strings.Count(now.String(), "\n") != 2 || now.String() != then.String() {
				t.Errorf("context %v, JSON %v: at once\n%s\nlater\n%s", inContext, json, now.String(), then.String())
			}
		}
	}
}

// TestSentinels: with the arena in the context, inner gets values outside of it unchanged.
func TestSentinels(t *testing.T) {
	err := errors.New("sentinel")
	var got any
	a := arena.NewArena()
	l := slog.New(arenaslog.Handler(seen{slog.DiscardHandler, &got}))
	l.InfoContext(arena.NewContext(t.Context(), a), "failed", "err", err)
	if got != err {
		t.Errorf("%v", got)
	}
}

type seen struct {
	slog.Handler
	got *any
}

func (s seen) Enabled(context.Context, slog.Level) bool { return true }
func (s seen) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool { *s.got = a.Value.Any(); return true })
	return nil
}
