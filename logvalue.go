package arena

import (
	"log/slog"

	"github.com/harena-go/arena/internal/diagnose/watch"
)

// This file holds statistics and reports as structured logs have them.

// LogValue returns the statistics as a group, for package log/slog.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", s.Name), slog.Int("used", s.Used), slog.Int("high_water", s.HighWater),
		slog.Int("reserved", s.Reserved), slog.Int("retained", s.Retained), slog.Int("wasted", s.Wasted),
		slog.Int("chunks", s.Chunks), slog.Int("slabs", s.Slabs), slog.Int("resets", s.Resets))
}

// LogValue returns the statistics as a group, without those of keys, for package log/slog.
func (s PoolStats) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", s.Name), slog.Int("gets", s.Gets), slog.Int("misses", s.Misses),
		slog.Int("live", s.Live), slog.Int("idle", s.Idle), slog.Int("freed", s.Freed), slog.Int("lost", s.Lost),
		slog.Int("limit_hits", s.LimitHits), slog.Int("escapes", s.Escapes), slog.Uint64("used", s.Used), slog.Int("high_water", s.HighWater),
		slog.Int("growths", s.Growths), slog.Int("reserved", s.Reserved), slog.Int("retained", s.Retained))
}

// LogValue returns the escape as a group, with the lines of the user's code where the value was allocated and taken
// back, for package log/slog.
func (e Escape) LogValue() slog.Value {
	return slog.GroupValue(slog.String("arena", e.Arena), slog.String("key", e.Key), slog.String("type", e.Type), slog.Int("size", e.Size),
		slog.Int("cycles", e.Cycles), slog.Bool("written", e.Written), slog.String("holder", e.Holder),
		slog.String("allocated", watch.CallSite(e.Allocated)), slog.String("lent", watch.CallSite(e.Lent)), slog.String("taken_back", watch.CallSite(e.TakenBack)))
}
