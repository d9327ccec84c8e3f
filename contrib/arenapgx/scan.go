package arenapgx

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/jackc/pgx/v5"
)

// A scanner reads the rows of one result.
type scanner struct {
	arena *arena.Arena
	batch *arena.Arena // the arena, if it was lent for this result
	rows  pgx.Rows
	mode  Mode
	typ   reflect.Type
	find  func(pgx.Rows, Mode) *plan
	plan  *plan // from Prepare on
	left  arenaext.DriverColumns
}

func newScanner[T any](a *arena.Arena, rows pgx.Rows, mode []Mode) *scanner {
	s := &scanner{arena: a, rows: rows, typ: reflect.TypeFor[T](), find: planOf[T]}
	s.left = arenaext.NewDriverColumns(a, nil)
	for _, m := range mode {
		s.mode |= m
	}
	if a != nil {
		s.mode &^= Batch
	}
	return s
}

// lend makes the scanner read to an arena of its own, for Batch.
func (s *scanner) lend() *scanner {
	if s.mode&Batch != 0 {
		s.batch = arenaext.LendBatch(batches, s.typ.String())
		s.arena, s.left = s.batch, arenaext.NewDriverColumns(s.batch, nil)
	}
	return s
}

// batches has the arenas for Batch. Their keys are types, since values of different types live for different times.
var batches = arena.NewPool(arena.WithName("arenapgx.Batch"))

// Prepare finds the plan.
func (s *scanner) Prepare() {
	s.plan = s.find(s.rows, s.mode)
	for i := range s.plan.columns {
		if loc := s.plan.columns[i].loc; loc != nil && s.arena.SelfContained() {
			s.arena.KeepAlive(loc)
		}
	}
}

// Row reads the current row. If the number of values is wrong pgx reports it.
func (s *scanner) Row(p unsafe.Pointer) error {
	if s.plan.err != nil {
		return s.plan.err
	}
	values, columns := s.rows.RawValues(), s.plan.columns
	if len(values) != len(columns) {
		values = nil
	}
	left := false
	for i := range columns {
		c := &columns[i]
		if values == nil || !value(s.arena, c, values[i], unsafe.Add(p, c.offset)) {
			s.left.Add(i, len(columns), c.typ, unsafe.Add(p, c.offset))
			left = true
		}
	}
	if !left {
		return nil
	}
	return s.left.Scan(s.rows.Scan)
}
