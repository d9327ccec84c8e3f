// Package library lists functions of other libraries that this project can replace, functions whose results could be
// built once, and functions without a replacement. It must not depend on the calls' origin.
package library

import (
	"regexp"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// A program's own lines make only a part of its allocations. A service's decoders allocate more, and the allocator is
// the smaller part of their cost: another decoder saves most of its CPU. So they are counted as groups.
//
//	encoding/json.Unmarshal      arenajson.Unmarshal    its CPU, by a ratio, and all its bytes
//	io.ReadAll                   Arena.ReadAll          its allocations only
//	regexp.MustCompile           a variable             all of it, if it is built again and equal for each unit
//	database/sql.(*DB).Query     nothing                none

// A Library is a group of functions.
type Library struct {
	Name  string  // in reports: "encoding/json to structs"
	With  string  // the replacement, "" for none
	Times float64 // how many times less CPU With takes, as this project has published; 0 if it saves only allocations
	Hoist bool    // its results may be built once
}

// The ratios are of CPU, the collector's included, and from bench/RESULTS.md: make generate writes those with a row
// above them.
var (
	// {json/to structs, */std:harena}
	jsonRead = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 7.5}
	// {json/to any, */std:harena}
	jsonAny = &Library{Name: "JSON to any", With: "arenajson.Unmarshal", Times: 10}
	// {json/from structs, */std:harena}
	jsonWrite = &Library{Name: "JSON from structs", With: "arenajson.Marshal", Times: 4.1}
	// {json/to structs, */std-v2:harena}
	v2Read = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 6.0}
	// {json/from structs, */std-v2:harena}
	v2Write = &Library{Name: "JSON from structs", With: "arenajson.Marshal", Times: 3.8}
	// {json/to structs, */goccy,sonic:harena}
	fastRead  = &Library{Name: "JSON to structs", With: "arenajson.Unmarshal", Times: 2.8}
	fastWrite = &Library{Name: "JSON from structs", With: "arenajson.Marshal"}

	// {wire/decode and read all fields, OTLP *, ????? B/proto:harena}
	protoRead = &Library{Name: "protobuf to messages", With: "arenaproto.Unmarshal", Times: 8.1}
	// {wire/decode, Kubernetes PodList, */gogo:harena}
	gogoRead   = &Library{Name: "protobuf to structs", With: "arenaproto.UnmarshalStruct", Times: 3.6}
	protoWrite = &Library{Name: "protobuf from messages", With: "arenaproto.AppendMarshal"}

	pgxRows    = &Library{Name: "rows of pgx", With: "arenapgx.Collect", Times: 8}
	sqlRows    = &Library{Name: "rows of database/sql", With: "arenasql.Collect"}
	connection = &Library{Name: "the database's driver"}
	body       = &Library{Name: "io.ReadAll", With: "Arena.ReadAll, arenahttp.ReadBody"}
	http       = &Library{Name: "net/http itself"}

	again = &Library{Name: "built again", With: "a variable", Hoist: true}
)

// known lists functions by package, without versions at the end of paths. "*" is all others of the package.
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

	"text/template": templates,
	"html/template": templates,
	"time":          {"LoadLocation": again},
	"strings":       {"NewReplacer": again},
	"crypto/x509":   {"SystemCertPool": again, "(*CertPool).AppendCertsFromPEM": again},
}

// templates are functions of both packages; the last two are of html/template.
var templates = map[string]*Library{"(*Template).Parse": again, "(*Template).ParseFiles": again,
	"(*Template).ParseGlob": again, "(*Template).ParseFS": again, "ParseFiles": again, "ParseGlob": again,
	"ParseFS": again, "(*Template).Funcs": again, "(*Template).Clone": again, "(*Template).escape": again,
	"(*Template).lookupAndEscape": again}

var fast = map[string]*Library{"Unmarshal": fastRead, "(*Decoder).Decode": fastRead, "Marshal": fastWrite,
	"(*Encoder).Encode": fastWrite}

// Of returns the library of a function, by the runtime's name, or nil.
func Of(function string) *Library {
	pkg, name := split(function)
	if lib := known[pkg][name]; lib != nil {
		return lib
	}
	return known[pkg]["*"]
}

// version matches a version element of a path.
var version = regexp.MustCompile(`^v\d+$`)

// split returns the path of a function's package, without a version at its end, and the function's bare name.
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

// Find returns the outermost call of a stack, the innermost first, that belongs to a library, and nil and -1 without
// one. net/http counts only alone, as it is around the reads and writes of frameworks.
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

// Marshals reports whether a call marshals messages of protobuf: one of its functions, a generated one, or one of gRPC.
func Marshals(f probe.Frame) bool {
	pkg, name := split(f.Function)
	generated := strings.HasSuffix(f.File, ".pb.go") && strings.Contains(name, ").Marshal")
	return Of(f.Function) == protoWrite || generated ||
		pkg == "google.golang.org/grpc" && (name == "encode" || strings.HasSuffix(name, ").SendMsg"))
}

// Called returns the library of a function, or nil, refined by its inner calls.
func Called(function string, inner []probe.Frame) *Library {
	lib := Of(function)
	if lib == nil || function == "" {
		return nil
	}
	return lib.within(inner)
}

// within returns the library refined by its inner calls, which may do something else than its name tells.
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
		return connection // receiving a row costs the same with every library
	}
	return l
}
