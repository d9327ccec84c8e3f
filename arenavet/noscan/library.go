package noscan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// fresh are functions of the standard library whose result is on the heap. For others the table of package std has the
// arguments that the result may be.
var fresh = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "errors.New": true,
	"strconv.Itoa": true, "strconv.Quote": true, "strconv.FormatInt": true, "strings.Clone": true,
	"strings.Join": true, "strings.Repeat": true, "(*strings.Builder).String": true, "(*bytes.Buffer).String": true,
	"(*bufio.Scanner).Text": true, "bytes.Clone": true, "slices.Clone": true, "maps.Clone": true, "io.ReadAll": true,
	"os.ReadFile": true, "encoding/json.Marshal": true, "strings.Split": true, "strings.Fields": true,
}

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
