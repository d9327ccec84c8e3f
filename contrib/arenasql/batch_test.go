package arenasql

import (
	"database/sql"
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// An order is a row of many types.
type order struct {
	ID      int64
	Email   string
	Note    *string
	Total   float64
	Data    []byte
	Place   sql.NullString
	Created time.Time
}

// selectOrders asks SQLite for i orders; the one with the number bad has no number.
const selectOrders = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
	select case when i = ? then 'none' else i end as id, 'customer' || i || '@example.com' as email,
	case when i % 2 = 0 then 'number ' || i end as note, i * 0.25 as total, zeroblob(i % 50) as data,
	case when i % 3 = 0 then 'place ' || i end as place, datetime(i * 1000, 'unixepoch') as created from n`

func orders(rows *sql.Rows) (all []order, err error) {
	defer rows.Close()
	for rows.Next() {
		var o order
		var created string
		if err := rows.Scan(&o.ID, &o.Email, &o.Note, &o.Total, &o.Data, &o.Place, &created); err != nil {
			return nil, err
		}
		o.Created, _ = time.Parse(time.DateTime, created)
		all = append(all, o)
	}
	return all, rows.Err()
}

// TestBatch: nothing that was read as a batch ever changes, whatever is read later and whatever the GC does.
func TestBatch(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	db := open(t, "sqlite", ":memory:")
	type text struct {
		order
		Created string
	}
	type kept struct {
		got  []text
		want []order
	}
	var all []kept
	for i := range testkit.Cases(300) {
		n := 1 + i%70
		if all, err := Collect[text](nil, ask(t, db, selectOrders, n, 1+n/2), Lax, Batch); err == nil || all != nil {
			t.Fatal(i, len(all), err) // it leaves a part
		}
		want, err := orders(ask(t, db, selectOrders, n, 0))
		if err != nil {
			t.Fatal(err)
		}
		k := kept{want: want}
		switch rows := ask(t, db, selectOrders, n, 0); i % 3 {
		case 0:
			k.got, err = Collect[text](nil, rows, Batch)
			k.got = append(k.got, text{Created: "beyond what was read"})[:len(k.got)]
		case 1:
			pointers, e := CollectAddr[text](nil, rows, Batch)
			for _, p := range pointers {
				k.got = append(k.got, *p)
			}
			err = e
		case 2:
			k.want = want[:1]
			k.got = make([]text, 1)
			k.got[0], err = CollectOne[text](nil, rows, Batch)
		}
		if err != nil {
			t.Fatal(err)
		}
		for j := range k.got {
			_ = append(k.got[j].Data, "more"...) // beyond what was read
		}
		all = append(all, k)
	}
	for i, k := range all {
		got := make([]order, len(k.got))
		for j := range got {
			got[j] = k.got[j].order
			got[j].Created, _ = time.Parse(time.DateTime, k.got[j].Created)
		}
		if !testkit.Same(got, k.want) {
			t.Fatalf("result %d has changed: %+v", i, got)
		}
	}
	if s := batches.Stats(); s.Live != 0 || s.Gets == 0 {
		t.Errorf("%+v", s)
	}
}

// BenchmarkCollect compares reading with a loop that scans, and with SQLite alone.
func BenchmarkCollect(b *testing.B) {
	db := open(b, "sqlite", ":memory:")
	for _, n := range []int{1, 10, 100, 1000} {
		type text struct {
			order
			Created string
		}
		for name, collect := range map[string]func(*sql.Rows) (int, error){
			"driver": func(rows *sql.Rows) (n int, err error) {
				for rows.Next() {
					n++
					if err := rows.Scan(skip{}, skip{}, skip{}, skip{}, skip{}, skip{}, skip{}); err != nil {
						return n, err
					}
				}
				return n, rows.Err()
			},
			"scan": func(rows *sql.Rows) (int, error) {
				var all []text
				for rows.Next() {
					var o text
					if err := rows.Scan(&o.ID, &o.Email, &o.Note, &o.Total, &o.Data, &o.Place, &o.Created); err != nil {
						return 0, err
					}
					all = append(all, o)
				}
				return len(all), rows.Err()
			},
			"nil": func(rows *sql.Rows) (int, error) {
				all, err := Collect[text](nil, rows)
				return len(all), err
			},
			"batch": func(rows *sql.Rows) (int, error) {
				all, err := Collect[text](nil, rows, Batch)
				return len(all), err
			},
		} {
			b.Run(fmt.Sprintf("rows=%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					rows := ask(b, db, selectOrders, n, 0)
					if got, err := collect(rows); got != n || err != nil {
						b.Fatal(got, err)
					}
					rows.Close()
				}
			})
		}
	}
}
