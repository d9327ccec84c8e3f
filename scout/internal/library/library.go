// Package library knows functions of other libraries in whose place this project has one, those that build what could
// be built once, and those for which there is nothing. It must not depend on where calls were seen.
package library

import (
	"regexp"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// A program's own lines are a part of what it allocates. A service's decoders allocate more, and the greater part of
// what they cost isn't the allocator's: another decoder saves most of its CPU. So they are counted as groups.
//
//	encoding/json.Unmarshal      arenajson.Unmarshal    its CPU, by a ratio, and all its bytes
//	io.ReadAll                   Arena.ReadAll          what it allocates only
//	regexp.MustCompile           a variable             all of it, if it is built again and equal for each unit
//	database/sql.(*DB).Query     nothing                none

// A Library is a group of functions.
type Library struct {
	Name  string  // in reports: "encoding/json to structs"
	With  string  // what serves in its place, "" for nothing
	Times float64 // how many times less CPU that takes, as this project has published; 0 if only allocations are saved
	Hoist bool    // what it builds may be built once
}

// The ratios are of docs/measurements.md, where they say of what: CPU, the collector's included.
var (
	jsonRead  = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 9.9}
	jsonAny   = &Library{Name: "JSON to any", With: "arenajson.Unmarshal", Times: 4.3}
	jsonWrite = &Library{Name: "JSON from structs", With: "arenajson.Marshal", Times: 3.2}
	v2Read    = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 4.9}
	v2Write   = &Library{Name: "JSON from structs", With: "arenajson.Marshal", Times: 4.0}
	fastRead  = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 2.2}
	fastWrite = &Library{Name: "JSON from structs", With: "arenajson.Marshal"}

	protoRead  = &Library{Name: "protobuf to messages", With: "arenaproto.Unmarshal", Times: 7.4}
	gogoRead   = &Library{Name: "protobuf to structs", With: "arenaproto.UnmarshalStruct", Times: 4.2}
	protoWrite = &Library{Name: "protobuf from messages", With: "arenaproto.AppendMarshal"}

	pgxRows    = &Library{Name: "rows of pgx", With: "arenapgx.Collect", Times: 8}
	sqlRows    = &Library{Name: "rows of database/sql", With: "arenasql.Collect"}
	connection = &Library{Name: "the database's driver"}
	body       = &Library{Name: "io.ReadAll", With: "Arena.ReadAll, arenahttp.ReadBody"}
	http       = &Library{Name: "net/http itself"}

	again = &Library{Name: "built again", With: "a variable", Hoist: true}
)

// known are functions by their packages, without versions at the end of paths. "*" is all others of the package.
var known = map[string]map[string]*Library{
	"encoding/json": {"Unmarshal": jsonRead, "(*Decoder).Decode": jsonRead, "Marshal": jsonWrite,
		"MarshalIndent": jsonWrite, "(*Encoder).Encode": jsonWrite},
	"encoding/json/v2": {"Unmarshal": v2Read, "UnmarshalRead": v2Read, "UnmarshalDecode": v2Read, "Marshal": v2Write,
		"MarshalWrite": v2Write, "MarshalEncode": v2Write},
	"github.com/goccy/go-json":           fast,
	"github.com/bytedance/sonic":         fast,
	"github.com/json-iterator/go":        fast,
	"github.com/segmentio/encoding/json": fast,

	"google.golang.org/protobuf/proto": {"Unmarshal": protoRead, "UnmarshalOptions.Unmarshal": protoRead,
		"UnmarshalOptions.UnmarshalState": protoRead, "Marshal": protoWrite, "MarshalOptions.Marshal": protoWrite,
		"MarshalOptions.MarshalAppend": protoWrite, "MarshalOptions.MarshalState": protoWrite},
	"github.com/golang/protobuf/proto": {"Unmarshal": protoRead, "Marshal": protoWrite},
	"github.com/gogo/protobuf/proto":   {"Unmarshal": gogoRead, "Marshal": protoWrite},

	"github.com/jackc/pgx": {"CollectRows": pgxRows, "CollectOneRow": pgxRows, "CollectExactlyOneRow": pgxRows,
		"AppendRows": pgxRows, "ForEachRow": pgxRows, "(*baseRows).Scan": pgxRows, "(*baseRows).Values": pgxRows,
		"(*connRow).Scan": pgxRows, "*": connection},
	"github.com/jackc/pgx/pgxpool": {"(*poolRows).Scan": pgxRows, "(*poolRows).Values": pgxRows,
		"(*poolRow).Scan": pgxRows, "*": connection},
	"database/sql":            {"(*Rows).Scan": sqlRows, "(*Row).Scan": sqlRows, "*": connection},
	"github.com/jmoiron/sqlx": {"StructScan": sqlRows, "(*Rows).StructScan": sqlRows, "scanAll": sqlRows},

	"io":       {"ReadAll": body},
	"net/http": {"(*ServeMux).Handle": again, "(*ServeMux).HandleFunc": again, "*": http},

	"regexp": {"Compile": again, "MustCompile": again, "CompilePOSIX": again, "MatchString": again, "Match": again},
	"text/template": {"(*Template).Parse": again, "(*Template).ParseFiles": again, "(*Template).ParseGlob": again,
		"(*Template).ParseFS": again, "ParseFiles": again, "ParseGlob": again, "ParseFS": again,
		"(*Template).Funcs": again, "(*Template).Clone": again},
	"html/template": {"(*Template).Parse": again, "(*Template).ParseFiles": again, "(*Template).ParseGlob": again,
		"(*Template).ParseFS": again, "ParseFiles": again, "ParseGlob": again, "ParseFS": again,
		"(*Template).Funcs": again, "(*Template).Clone": again, "(*Template).escape": again,
		"(*Template).lookupAndEscape": again},
	"time":        {"LoadLocation": again},
	"strings":     {"NewReplacer": again},
	"crypto/x509": {"SystemCertPool": again, "(*CertPool).AppendCertsFromPEM": again},
}

var fast = map[string]*Library{"Unmarshal": fastRead, "(*Decoder).Decode": fastRead, "Marshal": fastWrite,
	"(*Encoder).Encode": fastWrite}

// Of returns the library that a function belongs to, as the runtime names it, or nil.
func Of(function string) *Library {
	pkg, name := split(function)
	if lib := known[pkg][name]; lib != nil {
		return lib
	}
	return known[pkg]["*"]
}

// version is an element of a path that is one.
var version = regexp.MustCompile(`^v\d+$`)

// split returns the path of a function's package, without a version at its end, and the name in it.
func split(function string) (pkg, name string) {
	name, pkg = sites.Bare(function), sites.Package(function)
	var parts []string
	for part := range strings.SplitSeq(pkg, "/") {
		if !version.MatchString(part) || pkg == "encoding/json/v2" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/"), name
}

// Find returns the outermost call of a stack, the innermost first, that is of a library, and nil and -1 if none is.
// net/http counts if nothing else does, as it is around what frameworks read and write.
func Find(calls []probe.Frame) (lib *Library, at int) {
	at = -1
	for i, f := range slices.Backward(calls) {
		switch found := Of(f.Function); {
		case found == nil:
		case found != http:
			return found.within(calls[:i]), i
		case lib == nil:
			lib, at = found, i
		}
	}
	return lib, at
}

// Called returns the library that a function belongs to, or nil, by what it does in calls of its own.
func Called(function string, inner []probe.Frame) *Library {
	lib := Of(function)
	if lib == nil || function == "" {
		return nil
	}
	return lib.within(inner)
}

// within returns what a library does in calls of its own: another thing than its name tells, perhaps.
func (l *Library) within(inner []probe.Frame) *Library {
	calls := func(parts ...string) bool {
		return slices.ContainsFunc(inner, func(f probe.Frame) bool {
			return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(f.Function, part) })
		})
	}
	switch {
	case l == jsonRead && calls("json.(*decodeState).valueInterface", "json.(*decodeState).objectInterface",
		"json.(*decodeState).arrayInterface", ".unmarshalValueAny", ".unmarshalObjectAny"):
		return jsonAny
	case l == pgxRows && calls("/pgconn.", "/pgproto3."), l == sqlRows && calls("database/sql.(*Rows).Next"):
		return connection // to receive a row costs what it costs
	}
	return l
}
