package arenasql

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// manyRows are n rows of one value each, made anew for each row.
type manyRows struct {
	n    int
	make func(i int) driver.Value
	i    int
}

func (r *manyRows) Close() error      { return nil }
func (r *manyRows) Columns() []string { return []string{"v"} }

func (r *manyRows) Next(dest []driver.Value) error {
	if r.i++; r.i > r.n {
		return io.EOF
	}
	dest[0] = r.make(r.i)
	return nil
}

// made has a maker of each type that drivers return.
var made = map[string]func(i int) driver.Value{
	"nil":    func(int) driver.Value { return nil },
	"int":    func(i int) driver.Value { return int64(i) },
	"float":  func(i int) driver.Value { return float64(i) + 0.5 },
	"bool":   func(i int) driver.Value { return i%2 == 0 },
	"string": func(i int) driver.Value { return fmt.Sprint("a string of row ", i) },
	"bytes":  func(i int) driver.Value { return fmt.Append(nil, i) },
	"utc":    func(i int) driver.Value { return time.Unix(int64(i), 0).UTC() },
	"zone":   func(i int) driver.Value { return time.Unix(int64(i), 0).In(time.FixedZone("", 3600*(i%3))) },
}

// A grower reads n rows one by one, and returns the growth of the heap after the first 1,000.
type grower func(t *testing.T, a *arena.Arena, n int, make func(i int) driver.Value) int

func grows[T any](t *testing.T, a *arena.Arena, n int, make func(i int) driver.Value) (grown int) {
	db := sql.OpenDB(answer(func() driver.Rows { return &manyRows{n: n, make: make} }))
	defer db.Close()
	rows, i := ask(t, db, ""), 0
	for _, err := range Each[box[T]](a, rows) {
		if err != nil {
			return 0 // it doesn't fit
		}
		if i++; i == 1000 {
			grown = -heap()
		}
		if i == n {
			grown += heap()
		}
	}
	return grown
}

func heap() int {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// growers has the growers for all types of fields.
var growers = []grower{
	grows[int], grows[float64], grows[bool], grows[string], grows[[]byte], grows[time.Time], grows[status], grows[blob],
	grows[*int], grows[*string], grows[**string], grows[*[]byte], grows[*time.Time], grows[sql.NullString],
	grows[sql.NullTime], grows[sql.Null[[]byte]], grows[loud], grows[form], grows[any],
}

// TestEachDoesNotGrow: earlier rows leave nothing, for all types and kinds of arenas. A checked arena waits for the GC.
func TestEachDoesNotGrow(t *testing.T) {
	n := 5_000
	if testkit.Sanitized {
		t.Skip("sanitizers keep what is over for a while")
	}
	if testkit.Long {
		n = 300_000
	}
	for what, make := range made {
		for kind, a := range arenas() {
			if kind == "checked" || kind == "batch" {
				continue
			}
			for i, grows := range growers {
				a.Reset()
				if grown := grows(t, a, n, make); grown > 64<<10 {
					t.Errorf("%s into type %d, %s arena: the heap has grown by %d KiB", what, i, kind, grown>>10)
				}
			}
		}
	}
}
