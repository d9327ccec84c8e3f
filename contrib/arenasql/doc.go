// Package arenasql reads the rows of package database/sql into arenas, from any driver.
//
//	rows, err := db.QueryContext(ctx, "select id, customer, total from orders where day = ?", day)
//	...
//	orders, err := arenasql.Collect[Order](a, rows)
//
// The structs, and the strings, slices and pointers in them, are allocated from the arena. The driver's own
// allocations, by which it passes values to database/sql, stay on the Go heap: one for each string, time.Time and large
// integer. Package arenapgx, for PostgreSQL, makes none of them.
//
// # Types
//
// A T is a struct, whose fields are filled by columns of the same name, or another type, for a single column. The rules
// for names are those of pgx.RowToStructByName: db:"name" names the column of a field, db:"-" leaves a field out, and
// otherwise the field's own name counts, without regard to case and underscores. Fields of embedded structs count as
// fields of the struct.
//
// Values are converted exactly as [sql.Rows.Scan] converts them, with its errors. Values are read directly into
// integers, floats, bool, strings, []byte, time.Time, types defined as one of them, pointers to these, and sql.Null and
// similar types. The rest is left to Scan, which allocates on the Go heap: values that don't fit or need an unusual
// conversion, fields of type any, and types with a method Scan. A self-contained arena keeps those allocations alive.
//
// A field can't be a sql.RawBytes, which is valid for one row only.
//
// # Memory
//
// The results are dead after Reset, or Put in a Pool made with [arena.WithReuse], as everything in the arena; clone
// values that live longer. They never refer to the driver's memory. A nil arena is the Go heap, object by object, or in
// blocks with [Batch].
//
// The text of a query must not be in an arena whose memory is reused: prepared statements keep it, and drivers such as
// that of pgx use it as the key of a cache of statements. Another query might then find that statement, and return its
// rows. Arguments may be in the arena until the rows are closed.
//
// If the arena's budget is exceeded the functions close the rows and panic with a *arena.LimitError, which
// [arena.Pool.Do] turns into an error.
package arenasql
