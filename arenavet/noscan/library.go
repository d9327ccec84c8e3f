package noscan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file lists functions of the standard library by what their results are, in terms of the
// heap. A function that isn't listed is unknown, and what it returns is never reported. So the
// lists have what programs store most, and only what holds for each call:
//
//	fresh        the result is on the heap
//	partOf       the result is a part of an argument, or leads to what that leads to
//	changing     the result is an argument as it was, or a changed copy on the heap
//	fills        the function writes to what arguments point to, from the heap
//	growing      the receiver has memory of the heap afterwards
//
// Names are those of types.Func.FullName.

// qualified returns the name of a function as in "strings.Join" or
// "(*bufio.Scanner).Text".
func qualified(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return ""
}

// set returns a set of names with a common prefix.
func set(into map[string]bool, prefix string, names ...string) {
	for _, n := range names {
		into[prefix+n] = true
	}
}

// fresh are functions that return memory from the heap whenever they return
// any worth mentioning.
var fresh = map[string]bool{}

func init() {
	set(fresh, "fmt.", "Sprint", "Sprintf", "Sprintln", "Errorf", "Appendf")
	set(fresh, "strconv.", "FormatFloat", "Quote", "FormatInt", "Itoa", "FormatUint")
	set(fresh, "strings.", "Join", "Repeat", "Clone", "Fields", "Split", "SplitN", "SplitAfter", "NewReader",
		"NewReplacer")
	set(fresh, "bytes.", "Clone", "Join", "Repeat", "Fields", "Split", "NewReader", "NewBuffer", "NewBufferString")
	set(fresh, "slices.", "Clone", "Collect", "Concat", "Repeat", "Sorted")
	set(fresh, "maps.", "Clone", "Collect")
	set(fresh, "errors.", "New")
	set(fresh, "os.", "ReadFile", "Getwd")
	set(fresh, "io.", "ReadAll")
	set(fresh, "encoding/json.", "Marshal", "MarshalIndent")
	set(fresh, "encoding/hex.", "EncodeToString")
	set(fresh, "regexp.", "MustCompile", "Compile")
	set(fresh, "math/big.", "NewInt")
	set(fresh, "(*strings.Builder).", "String")
	set(fresh, "(*bytes.Buffer).", "String", "Bytes")
	set(fresh, "(*bufio.Scanner).", "Text")
	set(fresh, "(*bufio.Reader).", "ReadString", "ReadBytes")
	set(fresh, "(time.Time).", "Format", "String")
	set(fresh, "(time.Duration).", "String")
	set(fresh, "(*encoding/base64.Encoding).", "EncodeToString")
	set(fresh, "time.", "LoadLocation", "FixedZone", "Parse")
	set(fresh, "net/url.", "Parse", "ParseRequestURI", "User", "UserPassword")
	set(fresh, "container/list.", "New")
	set(fresh, "html/template.", "New")
	set(fresh, "text/template.", "New")
}

// partOf are functions whose result is a part of an argument, or made from it.
var partOf = map[string]int{
	"strings.TrimSpace": 0, "strings.Trim": 0, "strings.TrimPrefix": 0, "strings.TrimSuffix": 0,
	"strings.TrimLeft": 0, "strings.TrimRight": 0, "strings.TrimFunc": 0,
	"bytes.TrimSpace": 0, "bytes.Trim": 0, "bytes.TrimPrefix": 0, "bytes.TrimSuffix": 0,
	"(time.Time).In": 1, "(time.Time).Add": 0, "(time.Time).AddDate": 0, "(time.Time).Round": 0,
	"(time.Time).Truncate": 0,
	"slices.Grow":          0, "slices.Clip": 0, "unsafe.String": 0, "path.Base": 0, "path/filepath.Base": 0,
}

// changing are functions whose result is on the heap when it isn't their argument as it was.
// They are called for arguments that aren't.
var changing = map[string]bool{}

func init() {
	set(changing, "strings.", "ToLower", "ToUpper", "ToTitle", "Replace", "ReplaceAll", "Map", "ToValidUTF8")
	set(changing, "(*strings.Replacer).", "Replace")
	set(changing, "html.", "EscapeString", "UnescapeString")
}

// changedBy returns which argument such a function may return as it was, nil if it is none.
// Map and Replacer.Replace have the string behind the function and the receiver.
func changedBy(name string, args []ssa.Value) ssa.Value {
	switch {
	case !changing[name]:
		return nil
	case name == "strings.Map" || name == "(*strings.Replacer).Replace":
		return args[1]
	}
	return args[0]
}

// isCompared reports whether a value is compared with another one, so that it is known whether they
// are the same.
//
//	lower := strings.ToLower(name)
//	if lower == name { n.name = lower }     the same string: no copy was made
func isCompared(v, with ssa.Value) bool {
	for _, use := range api.Uses(v) {
		if op, ok := use.(*ssa.BinOp); ok && (op.X == v && op.Y == with || op.Y == v && op.X == with) {
			return true
		}
	}
	return false
}

// fills are functions that put what they read into what arguments point to, from the
// heap: the number of the first of these arguments.
var fills = map[string]int{
	"encoding/json.Unmarshal": 1, "(*encoding/json.Decoder).Decode": 1,
	"encoding/xml.Unmarshal": 1, "(*encoding/xml.Decoder).Decode": 1,
	"(*encoding/gob.Decoder).Decode": 1,
	"fmt.Sscan":                      1, "fmt.Sscanln": 1, "fmt.Sscanf": 2, "fmt.Fscan": 1, "fmt.Fscanln": 1,
	"fmt.Fscanf": 2,
	"fmt.Scan":   0, "fmt.Scanln": 0, "fmt.Scanf": 1,
	"(*database/sql.Rows).Scan": 1, "(*database/sql.Row).Scan": 1,
}

// growing are methods after which their receiver has memory of the heap.
var growing = map[string]bool{}

func init() {
	set(growing, "(*strings.Builder).", "Write", "WriteString", "WriteByte", "WriteRune", "Grow")
	set(growing, "(*bytes.Buffer).", "Write", "WriteString", "WriteByte", "WriteRune", "Grow", "ReadFrom")
	set(growing, "(*sync.Map).", "Store", "LoadOrStore", "Swap")
	set(growing, "(*container/list.List).", "PushBack", "PushFront")
	set(growing, "(*math/big.Int).", "SetString", "SetBytes", "Set", "Add", "Mul", "Exp", "Lsh")
}

// elementsFrom returns the string that the elements of a call's result are parts of, nil if
// there is none.
// The slice, or the struct, is on the heap in any case; its strings are where the argument is.
func elementsFrom(call *ssa.CallCommon) ssa.Value {
	fn := call.StaticCallee()
	if fn == nil || len(call.Args) == 0 {
		return nil
	}
	switch qualified(fn) {
	case "net/url.Parse", "net/url.ParseRequestURI": // its fields
		return call.Args[0]
	case "strings.Split", "strings.SplitN", "strings.SplitAfter", "strings.Fields", "bytes.Split", "bytes.Fields":
		return call.Args[0]
	}
	return nil
}
