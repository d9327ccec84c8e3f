// Package arenapgx reads the rows of package pgx into arenas.
//
//	rows, err := conn.Query(ctx, "select id, customer, total from orders where day = $1", day)
//	...
//	orders, err := arenapgx.Collect[Order](a, rows)
//
// Collect does what [pgx.CollectRows] does with [pgx.RowToStructByName] and similar functions: it fills the same fields
// with the same values, returns the errors of pgx, and closes the rows at the end. But the structs, and the strings,
// slices and pointers in them, are allocated from the arena, and a row leaves nothing on the Go heap.
//
// # Types
//
// A T is a struct, whose fields are filled by columns of the same name, or another type, for a single column as with
// [pgx.RowTo]. Struct tags are those of pgx: db:"name", and db:"-" for a field that no column fills.
//
// All types that pgx can scan work. These are read directly: integers, floats, bool, text and similar types, bytea,
// uuid, date, timestamp, timestamptz, numeric, arrays of these with one dimension, json and jsonb. They are read into
// basic types and types defined as one of them, time.Time, [16]byte, pointers and slices of these, sql.Null and similar
// types, and pgtype's Text, Bool, Int, Float, UUID and Numeric; JSON is read by package arenajson into any type.
//
// The rest is scanned by pgx, which allocates on the Go heap: other types of the server, arrays and times in text
// format, types with methods of their own, and types for which a connection has its own codecs. A self-contained arena
// keeps those allocations alive.
//
// # Memory
//
// The results are dead after Reset, or Put in a Pool made with [arena.WithReuse], as everything in the arena; clone
// values that live longer. They never refer to the connection's buffers. A nil arena is the Go heap, object by object,
// or in blocks with [Batch].
//
// The text of a query must not be in an arena whose memory is reused: pgx uses it as the key of the connection's cache
// of statements. Another query might then find that statement, and return its rows. Arguments are copied.
//
// If the arena's budget is exceeded the functions close the rows and panic with a *arena.LimitError, which
// [arena.Pool.Do] turns into an error.
package arenapgx
