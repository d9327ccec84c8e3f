package library

import (
	"testing"

	"github.com/harena-go/arena/scout/internal/probe"
)

func stack(names ...string) (calls []probe.Frame) {
	for _, name := range names {
		calls = append(calls, probe.Frame{Function: name})
	}
	return calls
}

// TestFind: the outermost call of a library counts, with any version and type arguments, and its inner calls.
func TestFind(t *testing.T) {
	const pgx = "github.com/jackc/pgx/v5"
	for _, test := range []struct {
		calls []probe.Frame
		want  *Library
		at    int
	}{
		{stack("reflect.New", "encoding/json.(*decodeState).object", "encoding/json.Unmarshal", "example.com/p.Read"), jsonRead, 2},
		{stack("encoding/json.(*decodeState).objectInterface", "encoding/json.Unmarshal", "example.com/p.Read"), jsonAny, 1},
		{stack("encoding/json/v2.unmarshalValueAny", "encoding/json/v2.Unmarshal", "encoding/json.Unmarshal", "example.com/p.Read"), jsonAny, 2}, // from Go 1.27 on
		{stack("encoding/json.Marshal", "example.com/p.(*T).UnmarshalJSON", "encoding/json.Unmarshal"), jsonRead, 2},
		{stack("encoding/json/v2.UnmarshalRead", "example.com/p.Read"), v2Read, 0},
		{stack(pgx + ".CollectRows[go.shape.struct { example.com/x/y.T }]"), pgxRows, 0},
		{stack(pgx+"/pgconn.(*PgConn).receiveMessage", pgx+".CollectRows[...]"), connection, 1},
		{stack(pgx+"/pgxpool.(*Pool).Query", "example.com/p.F"), connection, 0},
		{stack("text/template.addValueFuncs", "text/template.(*Template).Funcs", "example.com/p.F"), again, 1},
		{stack("example.com/encoding/json.Unmarshal"), nil, -1},
		{stack("strings.Fields", "example.com/p.F"), nil, -1},
	} {
		if lib, at := Find(test.calls); lib != test.want || at != test.at {
			t.Errorf("%v: %+v at %d, want %+v at %d", test.calls, lib, at, test.want, test.at)
		}
	}
}
