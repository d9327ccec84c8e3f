package deepclone

import (
	"reflect"
	"runtime"
	"strings"
	"unicode"
	"unsafe"
)

// keepsIdentity reports whether pointers to t are copied as they are, because a copy of
// the object couldn't replace it. The packages of these types make the objects
// themselves, so none is in an arena.
func keepsIdentity(t reflect.Type) bool {
	switch typeName(t) {
	case "time.Location": // time.Local and time.UTC are known by their address
	case "os.file", "os.root", "net.netFD": // would be closed twice
	case "os.Process": // would be released twice
	case "time.Timer", "time.Ticker": // the head of a larger object of the runtime
	case "reflect.rtype", "runtime.Func": // read-only data of the binary
	case "crypto/elliptic.nistCurve", "crypto/ecdh.nistCurve", "crypto/ecdh.x25519Curve": // keys compare addresses
	case "runtime/cgo.Incomplete": // of unknown size
	default:
		switch t.PkgPath() {
		case "internal/abi": // descriptors of types, read-only data too
		case "context": // would not hear of its parent's cancellation
		case "runtime": // the target of a Frame: read-only data of the binary
			return !unicode.IsUpper(rune(t.Name()[0]))
		default:
			return isArenaType(t)
		}
	}
	return true
}

// arenaPackage is the package to which this internal one belongs.
const arenaPackage = "github.com/harena-go/arena"

// isArenaType reports whether t manages arena memory. A copy of it would allocate the same
// memory again.
func isArenaType(t reflect.Type) bool {
	if t.PkgPath() != arenaPackage {
		return false
	}
	switch strings.TrimPrefix(typeName(t), arenaPackage+".") {
	case "Arena", "Shared", "Pool", "Typed", "lease": // the last one is in LimitError
		return true
	}
	return false
}

// startsAnew reports whether a field of t is zero in a clone, because it depends on the struct's address or must not be
// in two structs.
func startsAnew(t reflect.Type, field string) bool {
	switch typeName(t) {
	case "strings.Builder": // would find out that it was copied
		return field == "addr"
	case "sync.Cond": // likewise; and its waiters wait for the source
		return field != "L"
	case "sync.Pool":
		return field != "New"
	}
	return false
}

// typeName returns the import path and name of t, without type arguments.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath() + "." + name
}

// globalError reports whether the errors.errorString at p is part of the program's data, as
// the compiler makes it of a package-level variable: a sentinel, like io.EOF, that
// programs compare by address. Its text is a literal then.
//
// runtime.AddCleanup is documented to accept such an object, for which a cleanup never runs,
// and returns the zero Cleanup. p is valid, and the cleanup of a heap object is stopped, so
// nothing is left behind. If the answer is wrong in some build (without inlining, sentinels
// are on the heap), the error is cloned.
func globalError(p unsafe.Pointer) bool {
	cleanup := runtime.AddCleanup((*byte)(p), func(struct{}) {}, struct{}{})
	cleanup.Stop()
	return cleanup == runtime.Cleanup{}
}
