// Package lib has a handler of package slog that keeps records, and a visitor.
package lib

import (
	"context"
	"log/slog"

	_ "github.com/harena-go/arena" // what doesn't depend on it isn't looked at
)

type Ring struct{ last []slog.Record }

func (r *Ring) Enabled(context.Context, slog.Level) bool { return true }
func (r *Ring) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *Ring) WithGroup(string) slog.Handler            { return r }
func (r *Ring) Handle(_ context.Context, x slog.Record) error {
	r.last = append(r.last, x)
	return nil
}

type Visitor interface{ Visit(s *string) Visitor }

type Names struct{ all []*string }

func (n *Names) Visit(s *string) Visitor {
	n.all = append(n.all, s)
	return n
}
