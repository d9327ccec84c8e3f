package symbols

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// TestReferences: the code of each architecture names the variable at 0x12345678.
func TestReferences(t *testing.T) {
	arm64 := binary.LittleEndian.AppendUint32(nil, 0x90000000|0x2345&3<<29|0x2345>>2<<5|27) // ADRP 0x2345 pages on, R27
	arm64 = binary.LittleEndian.AppendUint32(arm64, 0xF9400000|0x678/8<<10|27<<5)           // MOVD 0x678(R27), R0
	for arch, code := range map[string][]byte{
		"amd64": {0x48, 0x8B, 0x05, 0x71, 0x56, 0x34, 0x02, 0x90}, // MOVQ 0x2345671(IP), AX
		"386":   {0x90, 0x8D, 0x05, 0x78, 0x56, 0x34, 0x12},       // LEAL 0x12345678, AX
		"arm64": arm64,
	} {
		found := false
		eachReference(arch, section{0x10000000, code}, func(_, to uintptr) { found = found || to == 0x12345678 })
		if !found {
			t.Errorf("%s: the address is not found", arch)
		}
	}
}

// TestUnknownCode: addresses outside of functions have no line.
func TestUnknownCode(t *testing.T) {
	for _, pc := range []uintptr{0, 1, ^uintptr(0)} {
		if f := FrameOf(pc); f.Function != "" {
			t.Errorf("%#x is in %v", pc, f)
		}
		if w := FramesOf(pc); w != nil {
			t.Errorf("%#x is in %v", pc, w)
		}
	}
	if name := FunctionName(1); name != "a function at 0x1" {
		t.Error(name)
	}
}

// TestUsers: a variable's users are found by an address in it that isn't far from its start.
func TestUsers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the code is that of amd64")
	}
	code := section{0x1000, []byte{0, 0, 0x48, 0x8B, 0x05, 0xF9, 0xFF, 0xFF, 0xFF}} // MOVQ -7(IP), AX
	e := &Executable{text: code}
	if users := e.usersOf(0x1002 + 100); len(users) != 1 || users[0].addr != 0x1002 {
		t.Errorf("%v use the variable", users)
	}
	if users := e.usersOf(0x1002 + maxVariable + 1); users != nil {
		t.Errorf("%v use a variable that is far", users)
	}
}
