package arenaslog_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// A late handler keeps records.
type late struct {
	slog.Handler
	records *[]slog.Record
}

func (l late) Handle(_ context.Context, r slog.Record) error {
	*l.records = append(*l.records, r)
	return nil
}

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	arenakit.Keeps(t, "slog", map[string]arenakit.Use{
		"a message or attribute, with TextHandler or JSONHandler": func(s string) func() string {
			var text strings.Builder
			slog.New(slog.NewTextHandler(&text, nil)).Info(s, "who", s)
			slog.New(slog.NewJSONHandler(&text, nil)).Info(s, "who", s)
			return text.String
		},
		"an attribute, by With": func(s string) func() string {
			var text strings.Builder
			log := slog.New(slog.NewTextHandler(&text, nil)).With("who", s)
			return func() string {
				text.Reset()
				log.Info("message")
				return text.String()
			}
		},
		"a record, with a handler that writes later": func(s string) func() string {
			var all []slog.Record
			slog.New(late{slog.NewTextHandler(io.Discard, nil), &all}).Error(s)
			return func() string { return all[0].Message }
		},
	})
}
