package blind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

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
	set(fresh, "strings.", "Join", "Repeat", "Clone", "Fields", "Split", "SplitN", "SplitAfter", "NewReader", "NewReplacer")
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
}

// partOf are functions whose result is a part of an argument, or made from it.
var partOf = map[string]int{
	"strings.TrimSpace": 0, "strings.Trim": 0, "strings.TrimPrefix": 0, "strings.TrimSuffix": 0,
	"strings.TrimLeft": 0, "strings.TrimRight": 0, "strings.TrimFunc": 0,
	"strings.ToLower": 0, "strings.ToUpper": 0, "strings.Replace": 0, "strings.ReplaceAll": 0,
	"bytes.TrimSpace": 0, "bytes.Trim": 0, "bytes.TrimPrefix": 0, "bytes.TrimSuffix": 0,
	"slices.Grow": 0, "slices.Clip": 0, "unsafe.String": 0, "path.Base": 0, "path/filepath.Base": 0,
}

// elementsFrom returns the string of which the elements of a call's result are
// parts, or nil.
func elementsFrom(call *ssa.CallCommon) ssa.Value {
	fn := call.StaticCallee()
	if fn == nil || len(call.Args) == 0 {
		return nil
	}
	switch qualified(fn) {
	case "strings.Split", "strings.SplitN", "strings.SplitAfter", "strings.Fields", "bytes.Split", "bytes.Fields":
		return call.Args[0]
	}
	return nil
}
