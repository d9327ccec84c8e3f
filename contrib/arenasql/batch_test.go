package arenasql

import (
	"database/sql"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// An order is a row of many types.
type order struct {
	ID            int64
	Email         string
	Note          *string
	Total         float64
	Data          []byte
	Place         sql.NullString
	Created, Next string
}

// selectOrders queries SQLite for so many orders; the order with the second number has the id 'none'.
const selectOrders = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
	select case when i = ? then 'none' else i end as id, 'customer' || i || '@example.com' as email,
	case when i % 2 = 0 then 'number ' || i end as note, i * 0.25 as total, zeroblob(i % 50) as data,
	case when i % 3 = 0 then 'place ' || i end as place, datetime(i * 1000, 'unixepoch') as created, i + 1 as next from n`

// byHand reads orders as programs do.
func byHand(rows *sql.Rows) (all []order, err error) {
	defer rows.Close()
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.ID, &o.Email, &o.Note, &o.Total, &o.Data, &o.Place, &o.Created, &o.Next); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// TestBatch: batches never change, whatever is read later, and in any GC.
func TestBatch(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	db := open(t, "sqlite", ":memory:")
	var got, want [][]order
	for i := range testkit.Cases(300) {
		n := 1 + i%70
		if all, err := Collect[order](nil, ask(t, db, selectOrders, n, 1+n/2), Batch); err == nil || all != nil {
			t.Fatal(i, len(all), err) // it leaves a part
		}
		kept, err := Collect[order](nil, ask(t, db, selectOrders, n, 0), Batch)
		if i%2 > 0 {
			pointers, e := CollectAddr[order](nil, ask(t, db, selectOrders, n, 0), Batch)
			for i, p := range pointers {
				kept[i] = *p
			}
			err = e
		}
		one, err1 := CollectOne[order](nil, ask(t, db, selectOrders, n, 0), Batch)
		read, err2 := byHand(ask(t, db, selectOrders, n, 0))
		if err := errors.Join(err, err1, err2); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, one)
		_ = append(kept, order{Email: "beyond what was read"})
		_ = append(kept[n-1].Data, "more"...)
		got, want = append(got, kept), append(want, append(read, read[0]))
	}
	for i := range got {
		if !testkit.Same(got[i], want[i]) {
			t.Fatalf("result %d has changed: %+v", i, got[i])
		}
	}
	if s := batches.Stats(); s.Live != 0 || s.Gets == 0 {
		t.Errorf("%+v", s)
	}
}
