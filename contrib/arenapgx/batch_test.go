package arenapgx

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// TestBatchStays: batches never change, whatever is read later, and in any GC.
func TestBatchStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	conn := connect(t)
	var got, want [][]mixed
	for i := range testkit.Cases(300) {
		n := 1 + i%70
		ask := func(more string) pgx.Rows {
			return query(t, conn, modes["binary"], strings.Replace(fmt.Sprintf(selectMixed, n), "from", more+" from", 1))
		}
		if all, err := Collect[mixed](nil, ask(fmt.Sprintf(", 1 / (%d - i) as bad", 1+n/2)), Batch, Lax); err == nil || all != nil {
			t.Fatal(i, len(all), err) // it leaves a part
		}
		kept, err := Collect[mixed](nil, ask(""), Batch)
		if i%2 > 0 {
			pointers, e := CollectAddr[mixed](nil, ask(""), Batch)
			for i, p := range pointers {
				kept[i] = *p
			}
			err = e
		}
		one, err1 := CollectOne[mixed](nil, ask(""), Batch)
		read, err2 := pgx.CollectRows(ask(""), pgx.RowToStructByName[mixed])
		if err := errors.Join(err, err1, err2); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, one)
		_ = append(kept, mixed{S: "beyond what was read"})
		_ = append(kept[n-1].L, -1)
		_ = append(kept[n-1].X, "more"...)
		got, want = append(got, kept), append(want, append(read, read[0]))
	}
	for i := range got {
		if !testkit.Same(got[i], want[i]) {
			t.Fatalf("result %d has changed: %+v", i, got[i])
		}
	}
}

// containers has fields that keep the arena into which they are decoded.
type containers struct {
	Map    collections.Map[string, []string] `json:"map"`
	Keeper keeper                            `json:"keeper"`
}

type keeper struct{ a *arena.Arena }

func (k *keeper) UnmarshalJSONArena(a *arena.Arena, _ []byte) error {
	k.a = a
	return nil
}

// TestBatchEnds: values don't get the arena of a batch, which can't be used after the rows have been read. With an
// arena, Batch does nothing.
func TestBatchEnds(t *testing.T) {
	rows := func() pgx.Rows {
		fields := []pgconn.FieldDescription{{Name: "v", DataTypeOID: pgtype.JSONOID}}
		return &replay{types: pgtype.NewMap(), rows: [][][]byte{{[]byte(`{"map":{"a":["b"]},"keeper":1}`)}}, fields: fields}
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		one, err := CollectExactlyOne[box[containers]](a, rows(), Batch)
		v := &one.V
		if err != nil || v.Keeper.a != a {
			t.Errorf("%p, want %p, %v", v.Keeper.a, a, err)
		}
		inner, err := CollectExactlyOne[box[**containers]](a, rows(), Batch)
		if err != nil || (*inner.V).Keeper.a != a {
			t.Errorf("%p, want %p, %v", (*inner.V).Keeper.a, a, err)
		}
		for i := range 1000 {
			v.Map.Set(fmt.Sprint(i), nil)
		}
		if v.Map.Len() != 1001 {
			t.Error(v.Map.Len())
		}
	}
	for range Each[box[containers]](nil, rows(), Batch) {
	}
	if s := batches.Stats(); s.Live != 0 || s.Gets == 0 {
		t.Errorf("%+v", s)
	}
}

// TestModesAddUp: in any order.
func TestModesAddUp(t *testing.T) {
	type few struct {
		ID   int64
		City string // no column
		Name string
	}
	for _, mode := range [][]Mode{{Lax, Batch}, {Batch, Lax}, {Batch | Lax}} {
		if all, err := Collect[few](nil, numbered(3), mode...); err != nil || len(all) != 3 {
			t.Error(mode, all, err)
		}
	}
	if _, err := Collect[few](nil, numbered(3), Batch); err == nil {
		t.Error("Batch is Lax")
	}
	if s, err := CollectOne[few](nil, numbered(3), ByPos, Batch); err == nil {
		t.Error("there are fewer columns than fields", s)
	}
}
