package micro

import (
	"slices"
	"testing"
	"time"
)

var short = Config{Rounds: 3, Turn: 500 * time.Microsecond}

func rows(t *testing.T) map[string]map[string]Series {
	t.Helper()
	all := map[string]map[string]Series{}
	for _, r := range Rows() {
		all[r.Name] = map[string]Series{}
		for _, s := range r.Run(short) {
			all[r.Name][s.Variant] = s
			if len(s.Values) != short.Rounds {
				t.Errorf("%s, %s: %d values, want one for each of %d rounds", r.Name, s.Variant, len(s.Values), short.Rounds)
			}
			for _, v := range s.Values {
				// A loop that the compiler emptied takes a fraction of a
				// cycle for each operation.
				if r.Unit == "ns" && (v < 0.2 || v > 1e9) {
					t.Errorf("%s, %s: %v ns is not the time of an operation", r.Name, s.Variant, v)
				}
			}
		}
	}
	return all
}

// TestRowsMeasureSomething also checks the counts that don't depend on the
// machine: the heap's variants allocate once per operation, warm arenas never.
func TestRowsMeasureSomething(t *testing.T) {
	all := rows(t)
	for row, perOp := range map[string]float64{"new-64": 1, "new-node": 1, "newof-64": 1, "string-32": 1, "slice-1k": 1} {
		for name, s := range all[row] {
			want := perOp
			if name != "heap" {
				want = 0
			}
			if s.Mallocs != want && !instrumented {
				t.Errorf("%s, %s: %v heap allocations per operation, want %v", row, name, s.Mallocs, want)
			}
		}
	}
	if m := all["append-1000"]["heap"].Mallocs; m < 5 {
		t.Errorf("appending 1,000 ints to nil allocates %v times on the heap: it can't have grown", m)
	}
	if len(sinkInts) != 1<<20 {
		t.Errorf("the last slice of uninit has %d ints, want 1M", len(sinkInts))
	}
	if live := all["live-1000"]["heap"].Values[0]; live < 64_000 {
		t.Errorf("1,000 objects of 64 bytes hold %v bytes", live)
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rows() {
		if seen[r.Name] {
			t.Errorf("two rows are called %s", r.Name)
		}
		seen[r.Name] = true
	}
	for _, name := range InExperiment {
		if !seen[name] {
			t.Errorf("the experiment has a row %s that nothing is compared with", name)
		}
	}
	if HasExperiment {
		var names []string
		for _, r := range ExperimentRows() {
			names = append(names, r.Name)
		}
		if !slices.Equal(names, InExperiment) {
			t.Errorf("rows of the experiment: %q, announced are %q", names, InExperiment)
		}
	}
}
