package arenaproto

import (
	"fmt"
	"sort"
	"strings"

	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/proto"
)

// This file reports the fields that plans leave to the official runtime.

// A Report says how the messages of a type, and of the types that it leads to, are decoded. [Explain]
// returns it.
type Report struct {
	Message string // full name of the message type
	Decoded int    // number of message types that are decoded into arenas
	Left    []Left // parts left to the official runtime, by the names of message and field
}

// Left is a part left to the official runtime, which allocates it on the Go heap.
type Left struct {
	Message string // full name of the message type, or of the Go type if that isn't known
	Field   string // name of the field, or "" for the whole message
	Reason  string
}

// String returns the report as text: a line for the type, and one for each part that is left.
func (r Report) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d message types are decoded into arenas", r.Message, r.Decoded)
	for _, l := range r.Left {
		name := l.Message
		if l.Field != "" {
			name += "." + l.Field
		}
		fmt.Fprintf(&s, "\n%s is left to the official runtime: %s", name, l.Reason)
	}
	return s.String()
}

// Explain reports what [Unmarshal] does for messages of m's type: which parts it leaves to the official
// runtime, and why. Those are correct as well, but on the Go heap and slower. m may be a nil
// pointer. Any number of goroutines may call it.
func Explain(m proto.Message) Report {
	md := m.ProtoReflect().Descriptor()
	r := Report{Message: string(md.FullName())}
	// m may be nil: use a new message.
	pl, p := planOfMessage(m.ProtoReflect().New().Interface())
	if pl == nil || p == nil {
		r.Left = []Left{{Message: r.Message, Reason: "it isn't a pointer to a struct"}}
		return r
	}
	r.add(pl, map[*plan.Plan]bool{})
	sort.Slice(r.Left, func(i, j int) bool {
		return r.Left[i].Message+"."+r.Left[i].Field < r.Left[j].Message+"."+r.Left[j].Field
	})
	return r
}

// add adds the parts that a plan, and the plans that it leads to, leave. seen ends recursion.
func (r *Report) add(pl *plan.Plan, seen map[*plan.Plan]bool) {
	if seen[pl] {
		return
	}
	seen[pl] = true
	// Only a type that is left to the official runtime may lack a descriptor.
	name := pl.Typ.String()
	if pl.Desc != nil {
		name = string(pl.Desc.FullName())
	}
	if pl.Official != "" {
		r.Left = append(r.Left, Left{Message: name, Reason: pl.Official})
		return
	}
	r.Decoded++
	for _, l := range pl.Left {
		r.Left = append(r.Left, Left{name, l.Field, l.Reason})
	}
	if pl.Extensible {
		r.Left = append(r.Left, Left{name, "", "its extensions are known to that runtime only"})
	}
	// Fields that are left have no Sub, and were named above.
	for _, f := range pl.Ops {
		if f.Sub != nil {
			r.add(f.Sub, seen)
		}
	}
}
