package arenapgx

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/jackc/pgx/v5"
)

// A scanner reads the rows of one result.
type scanner struct {
	arena   *arena.Arena
	rows    pgx.Rows
	mode    Mode
	plan    *plan // nil before the first row
	find    func(pgx.Rows, Mode) *plan
	targets []any // what pgx scans of a row; nil if nothing
}

func newScanner[T any](a *arena.Arena, rows pgx.Rows, mode []Mode) *scanner {
	s := &scanner{arena: a, rows: rows, find: planOf[T]}
	if len(mode) > 0 {
		s.mode = mode[len(mode)-1]
	}
	return s
}

// prepare finds the plan. There are no columns before the first row.
func (s *scanner) prepare() {
	s.plan = s.find(s.rows, s.mode)
	for i := range s.plan.columns {
		if loc := s.plan.columns[i].loc; loc != nil && s.arena.SelfContained() {
			s.arena.KeepAlive(loc)
		}
	}
}

// row reads the current row to p, which is zero.
func (s *scanner) row(p unsafe.Pointer) error {
	if s.plan == nil {
		s.prepare()
	}
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
			s.leave(i, unsafe.Add(p, c.offset))
			left = true
		}
	}
	if !left {
		return nil
	}
	return s.scan(p)
}

// leave notes that column i, which belongs to p, is left to pgx.
func (s *scanner) leave(i int, p unsafe.Pointer) {
	if s.targets == nil {
		s.targets = make([]any, len(s.plan.columns))
	}
	t := s.plan.columns[i].typ
	if s.arena.SelfContained() && layout.HasPointers(t) {
		s.targets[i] = reflect.New(t).Interface()
		return
	}
	s.targets[i] = reflect.NewAt(t, p).Interface()
}

// scan lets pgx scan what was left to it. A self-contained arena must not point to what pgx allocates: there the value
// on the heap stays alive beside its copy.
func (s *scanner) scan(p unsafe.Pointer) error {
	defer clear(s.targets)
	if err := s.rows.Scan(s.targets...); err != nil {
		return err
	}
	if !s.arena.SelfContained() {
		return nil
	}
	for i, target := range s.targets {
		c := &s.plan.columns[i]
		if target != nil && layout.HasPointers(c.typ) {
			reflect.NewAt(c.typ, unsafe.Add(p, c.offset)).Elem().Set(reflect.ValueOf(target).Elem())
			s.arena.KeepAlive(target)
		}
	}
	return nil
}
