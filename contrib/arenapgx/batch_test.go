package arenapgx

import (
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

// TestBatchStays: nothing that was read as a batch ever changes, whatever is read later and whatever the GC does.
func TestBatchStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	conn := connect(t)
	type kept struct{ got, want []mixed }
	var all []kept
	for i := range testkit.Cases(300) {
		sql := fmt.Sprintf(selectMixed, 1+i%70)
		if i%3 == 0 { // an error in between leaves a part
			bad := strings.Replace(sql, "from", fmt.Sprintf(", 1 / (%d - i) as bad from", i%70), 1)
			if all, err := Collect[mixed](nil, query(t, conn, modes["binary"], bad), Lax, Batch); i%70 > 0 && (err == nil || all != nil) {
				t.Fatal(i, len(all), err)
			}
		}
		want, err := pgx.CollectRows(query(t, conn, modes["binary"], sql), pgx.RowToStructByName[mixed])
		if err != nil {
			t.Fatal(err)
		}
		k := kept{want: want}
		switch rows := query(t, conn, modes["binary"], sql); i % 3 {
		case 0:
			k.got, err = Collect[mixed](nil, rows, Batch)
			k.got = append(k.got, mixed{S: "beyond what was read"})[:len(k.got)]
		case 1:
			pointers, e := CollectAddr[mixed](nil, rows, Batch)
			for _, p := range pointers {
				k.got = append(k.got, *p)
			}
			err = e
		case 2:
			k.want = want[:1]
			k.got = make([]mixed, 1)
			k.got[0], err = CollectOne[mixed](nil, rows, Batch)
		}
		if err != nil {
			t.Fatal(err)
		}
		for j := range k.got {
			_ = append(k.got[j].L, -1) // beyond what was read
			_ = append(k.got[j].X, "more"...)
		}
		all = append(all, k)
	}
	for i, k := range all {
		if !testkit.Same(k.got, k.want) {
			t.Fatalf("result %d has changed: %+v", i, k.got)
		}
	}
}

// containers has what gets the arena that it is read into.
type containers struct {
	Map    collections.Map[string, []string] `json:"map"`
	Keeper keeper                            `json:"keeper"`
}

type keeper struct{ a *arena.Arena }

func (k *keeper) UnmarshalJSONArena(a *arena.Arena, _ []byte) error {
	k.a = a
	return nil
}

// TestBatchEnds: nobody gets the arena of a batch, which can't be used when the rows have been read. With an arena, Batch
// changes nothing.
func TestBatchEnds(t *testing.T) {
	rows := func() pgx.Rows {
		fields := []pgconn.FieldDescription{{Name: "v", DataTypeOID: pgtype.JSONOID}}
		return &replay{types: pgtype.NewMap(), rows: [][][]byte{{[]byte(`{"map":{"a":["b"]},"keeper":1}`)}}, fields: fields}
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		one, err := CollectExactlyOne[box[containers]](a, rows(), Batch)
		v := one.V
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
