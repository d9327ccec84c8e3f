// Package arenapgx reads the rows of package pgx into arenas.
//
//	rows, err := conn.Query(ctx, "select id, customer, total from orders where day = $1", day)
//	...
//	orders, err := arenapgx.Collect[Order](a, rows)
//
// It does what [pgx.CollectRows] does with [pgx.RowToStructByName], and what else it is given: the columns find the
// same fields, the values are the same, the errors are those of pgx, and the rows are closed at the end. But the
// structs, and the strings, slices and pointers in them, are allocated from the arena, and a row leaves nothing on the
// Go heap.
//
// # Types
//
// A T is a struct, whose fields the columns fill by name, or another type, which the only column fills as
// [pgx.RowTo] does. Struct tags are those of pgx: db:"name", and db:"-" for a field that no column fills.
//
// All types that pgx can scan work. These are read directly: integers, floats, bool, text and the types like it, bytea,
// uuid, date, timestamp, timestamptz, numeric, one-dimensional arrays of these, and json and jsonb, into the basic types
// of Go, types that are defined as one of them, time.Time, [16]byte, pointers and slices of these, sql.Null and its
// kin, and pgtype's Text, Bool, Int, Float, UUID and Numeric. JSON goes through package arenajson. Everything else pgx
// scans itself: other types of the server, values in text format that are costly to parse, types with methods of their
// own, a connection's own codecs. So what it allocates for them is on the Go heap. A self-contained arena keeps that
// alive.
//
// # Memory
//
// What was read is dead after Reset, as everything in the arena; clone what is to stay. It never refers to the
// connection's buffers. A nil arena is the Go heap.
//
// If the arena's budget is exceeded the functions panic with a *arena.LimitError, which [arena.Pool.Do] turns into an
// error; the rows are closed then.
package arenapgx
