package scout

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/library"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file counts the messages that a unit builds and drops, as exporters of telemetry do with each batch.

// fewMessages is the number of objects below which building messages isn't worth a note.
const fewMessages = 20

// Messages are objects of a unit that are parts of protobuf messages and die with it: messages, wrappers of oneofs, and
// lists.
type Messages struct {
	Objects    float64 // 0 if there are few
	Marshalled bool    // functions that marshal allocate, at least once a unit
}

// messagesOf counts the messages of a unit. units is the number of units that all sites belong to.
func messagesOf(findings []verdict.Finding, all []probe.Site, units int64) Messages {
	var marshalled, built int64
	for _, s := range all {
		if slices.ContainsFunc(s.Stack, library.Marshals) {
			marshalled += s.Objects
		}
	}
	for _, f := range findings {
		if f.Verdict != verdict.Move || !builds(f) {
			continue
		}
		for _, s := range f.Sites {
			if !slices.ContainsFunc(s.Path, decodes) {
				built += s.Objects
			}
		}
	}
	if units = max(units, 1); built < fewMessages*units {
		return Messages{}
	}
	return Messages{float64(built) / float64(units), marshalled >= units}
}

// decodes reports whether a call is that of a decoder, such as a generated one.
func decodes(f probe.Frame) bool { return strings.Contains(strings.ToLower(f.Function), "unmarshal") }

// builds reports whether a finding's expressions make parts of messages, whichever of them it is.
func builds(f verdict.Finding) bool {
	for _, e := range f.Exprs {
		if e.As != nil || e.Type == nil || !isMessage(e.Type) {
			return false
		}
	}
	return len(f.Exprs) > 0
}

// isMessage reports whether a type is a message, the wrapper of a oneof, or a list of these. Tags of fields alone don't
// tell: types of Kubernetes have them, too.
func isMessage(t types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if method, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, "ProtoReflect"); method != nil {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 1 && strings.Contains(reflect.StructTag(s.Tag(0)).Get("protobuf"), ",oneof")
}
