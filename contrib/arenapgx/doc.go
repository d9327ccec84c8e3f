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
// uuid, date, timestamp, timestamptz, numeric, arrays of these with one dimension, json and jsonb. They go into basic
// types and types defined as one of them, time.Time, [16]byte, pointers and slices of these, sql.Null and its kin, and
// pgtype's Text, Bool, Int, Float, UUID and Numeric; JSON goes through package arenajson into any type.
//
// The rest is scanned by pgx: other types of the server, arrays and times in text format, types with methods of their
// own, and what a connection has codecs of its own for. What pgx allocates for these is on the Go heap. A
// self-contained arena keeps it alive.
//
// # Memory
//
// What was read is dead after Reset, or Put in a Pool made with [arena.WithReuse], as everything in the arena; clone
// what is to stay. It never refers to the connection's buffers. A nil arena is the Go heap,
// object by object, or with [Batch] in blocks.
//
// Don't pass pgx the text of a query that lies in an arena whose memory is reused: it is the key of the connection's
// cache of statements. Another query may then find that statement, and return its rows. Arguments are copied.
//
// If the arena's budget is exceeded the functions panic with a *arena.LimitError, which [arena.Pool.Do] turns into an
// error; the rows are closed then.
package arenapgx
