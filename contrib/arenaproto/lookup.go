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

// This file finds the plan of a message by its type: among recently used plans, or else among all.

// A recent is a recently used plan. It doesn't change.
type recent struct {
	word mem.Word // the type of the messages
	plan *plan.Plan
}

// recents finds plans without a lock. Types whose words have the same hash replace each other.
var recents [256]atomic.Pointer[recent]

// planOfMessage returns the plan of a message, and its address p, which is nil if m is a nil pointer. The plan
// is nil if m is nil or not a pointer, or is a nil pointer to a type that wasn't used recently.
func planOfMessage(m proto.Message) (pl *plan.Plan, p unsafe.Pointer) {
	p, w := mem.Pointer(m)
	r := &recents[w.Hash()%uintptr(len(recents))]
	if c := r.Load(); c != nil && c.word == w {
		return c.plan, p
	}
	// The plan of a type is made once for all goroutines, or a few times if they call at the same time.
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || p == nil {
		return nil, nil
	}
	pl = compile.PlanOf(t.Elem(), m)
	r.Store(&recent{w, pl})
	return pl, p
}
