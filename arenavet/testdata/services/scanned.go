package services

import (
	"errors"

	"github.com/harena-go/arena"
)

// What is put into variables by functions that others call.

type scannedRow struct{ s string }

type dbOf struct{ n int }

func (d *dbOf) Scan(f func(s []byte)) {
	for range d.n {
		f([]byte("x"))
	}
}

type rowScanner interface{ Scan(f func(s []byte)) }

func BadScannedByOwn(pool *arena.Pool, db *dbOf) []*scannedRow {
	var rows []*scannedRow
	a := pool.Get()
	db.Scan(func(b []byte) {
		rows = append(rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
	})
	pool.Put(a)
	return rows
}
func BadScannedByOther(pool *arena.Pool, db rowScanner) []*scannedRow {
	var rows []*scannedRow
	a := pool.Get()
	db.Scan(func(b []byte) {
		rows = append(rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
	})
	pool.Put(a)
	return rows
}
func BadScannedInDo(pool *arena.Pool, db *dbOf) []*scannedRow {
	var rows []*scannedRow
	pool.Do(func(a *arena.Arena) error {
		db.Scan(func(b []byte) {
			rows = append(rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
		})
		return nil
	})
	return rows
}
func BadScannedIntoArena(pool *arena.Pool, db *dbOf) []*scannedRow {
	var rows []*scannedRow
	pool.Do(func(a *arena.Arena) error {
		db.Scan(func(b []byte) {
			rows = arena.Append(a, rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
		})
		return nil
	})
	return rows
}
func BadScannedAtOnce(pool *arena.Pool, db *dbOf) []*scannedRow {
	var rows []*scannedRow
	pool.Do(func(a *arena.Arena) error {
		func(b []byte) {
			rows = append(rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
		}(nil)
		return nil
	})
	return rows
}

func OKScannedAndCloned(pool *arena.Pool, db *dbOf) (out []string) {
	a := pool.Get()
	defer pool.Put(a)
	var rows []*scannedRow
	db.Scan(func(b []byte) {
		rows = append(rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
	})
	for _, r := range rows {
		out = append(out, arena.Clone(r.s))
	}
	return out
}
func OKScannedAndFreed(pool *arena.Pool, db rowScanner) (rows []*scannedRow, err error) {
	err = pool.Do(func(a *arena.Arena) error {
		db.Scan(func(b []byte) {
			rows = arena.Append(a, rows, arena.NewOf(a, scannedRow{a.AllocBytesToString(b)}))
		})
		if len(rows) == 0 {
			return errors.New("none")
		}
		a.Free()
		return nil
	})
	return rows, err
}
func OKScannedFirst(pool *arena.Pool, db rowScanner) (n int) {
	var first *scannedRow
	a := pool.Get()
	db.Scan(func(b []byte) {
		if first == nil {
			first = arena.NewOf(a, scannedRow{a.AllocBytesToString(b)})
		}
	})
	if first != nil {
		n = len(first.s)
	}
	pool.Put(a)
	return n
}
