package arenaproto

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/proto"
)

// A recent is a plan that was used lately.
type recent struct {
	word mem.Word
	plan *plan.Plan
}

// recents finds plans by the type of a message, without a lock.
var recents [256]atomic.Pointer[recent]

// planOfMessage returns the plan of a message, and where that is. It is nil if m is nil, or a nil
// pointer, or no pointer at all.
func planOfMessage(m proto.Message) (*plan.Plan, unsafe.Pointer) {
	p, w := mem.Pointer(m)
	r := &recents[w.Hash()%uintptr(len(recents))]
	if c := r.Load(); c != nil && c.word == w {
		return c.plan, p
	}
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || p == nil {
		return nil, nil
	}
	pl := compile.PlanOf(t.Elem(), m)
	r.Store(&recent{w, pl})
	return pl, p
}
