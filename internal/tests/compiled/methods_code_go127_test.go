//go:build go1.27

package compiled_test

import (
	"runtime"
	"testing"
)

// TestMethodsAreTheSameCode compares the machine code of the methods' callers with
// that of the functions' callers.
func TestMethodsAreTheSameCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("reads amd64 code")
	}
	b := fastpath(t)
	for _, name := range []string{"NewInt", "NewOwn", "NewNode", "NewOfOwn", "NewOfNode", "AppendOne", "AppendNode", "AppendNodes", "ForNew", "Copy"} {
		function, method := b.instructions(name), b.instructions("Method"+name)
		if function != method || function == "" {
			t.Errorf("%s: the function's code is\n%s, the method's\n%s", name, function, method)
		}
	}
}
