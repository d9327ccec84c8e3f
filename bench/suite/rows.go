package suite

// The names of the readers of rows. Ours is Harena.
const (
	BytesAlone  = "bytes-alone"
	Pgx         = "pgx"
	PgxScan     = "pgx-scan"
	DatabaseSQL = "database-sql"
	HarenaEach  = "harena-each"
	HarenaSQL   = "harena-sql"
)

// RowPeers describe the peers of suite rows.
var RowPeers = []Peer{
	{BytesAlone, "github.com/jackc/pgx/v5", "pgx reads the rows, and nobody looks at them"},
	{Pgx, "github.com/jackc/pgx/v5", "CollectRows with RowToStructByName"},
	{PgxScan, "github.com/jackc/pgx/v5", "Scan into the fields of a struct, by hand"},
	{DatabaseSQL, "github.com/jackc/pgx/v5", "Scan of database/sql into the fields of a struct, by hand"},
	{HarenaEach, "github.com/harena-go/arena/contrib/arenapgx", "Each of arenapgx"},
	{HarenaSQL, "github.com/harena-go/arena/contrib/arenasql", "Collect of arenasql"},
}
