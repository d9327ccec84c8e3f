// Package arenasql reads the rows of package database/sql into arenas, from any driver.
//
//	rows, err := db.QueryContext(ctx, "select id, customer, total from orders where day = ?", day)
//	...
//	orders, err := arenasql.Collect[Order](a, rows)
//
// The structs, and the strings, slices and pointers in them, are allocated from the arena. What the driver allocates to
// give its values to database/sql remains on the Go heap: a string, a time.Time and a large integer are one allocation
// each. For PostgreSQL, package arenapgx goes without these.
//
// # Types
//
// A T is a struct, whose fields the columns fill by name, or another type, which the only column fills. The rules for
// names are those of pgx.RowToStructByName: db:"name" names the column of a field, db:"-" leaves a field out, and
// otherwise the field's own name counts, without regard to case and underscores. Fields of embedded structs count as
// fields of the struct.
//
// Values are converted exactly as [sql.Rows.Scan] converts them, with its errors. Into integers, floats, bool, strings,
// []byte, time.Time, types that are defined as one of them, pointers to these, and sql.Null and its kin they are read
// directly. The rest is left to Scan: values that don't fit or need an unusual conversion, fields of type any, and
// types with a method Scan. So what is allocated for them is on the Go heap. A self-contained arena keeps that alive.
//
// A field can't be a sql.RawBytes, which is valid for one row only.
//
// # Memory
//
// What was read is dead after Reset, or Put in a Pool made with [arena.WithReuse], as everything in the arena; clone
// what is to stay. It never refers to the driver's memory. A nil arena is the Go heap,
// object by object, or with [Batch] in blocks.
//
// The text of a query must not lie in an arena whose memory is reused: prepared statements keep it, and drivers, such
// as that of pgx, have caches of statements with it as the key. Another query may then find that statement, and return
// its rows. Arguments may lie in the arena until the rows are closed.
//
// If the arena's budget is exceeded the functions panic with a *arena.LimitError, which [arena.Pool.Do] turns into an
// error; the rows are closed then.
package arenasql
