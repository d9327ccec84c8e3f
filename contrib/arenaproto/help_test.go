package arenaproto

import (
	"math/rand/v2"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 9)) }

// numberOf returns the number of a field of three.All.
func numberOf(name protoreflect.Name) protowire.Number {
	return (&three.All{}).ProtoReflect().Descriptor().Fields().ByName(name).Number()
}

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
