package encode

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds how duplicate names are found in objects whose members have different
// keys. Keys may have the same name if methods write them, in an interface, and if
// invalid UTF-8 is replaced. Such names are noted in e.names, and compared at the end.

// mayRepeat reports whether different keys with the plan k may have the same name, where
// that is an error.
func (e *Encoder) mayRepeat(k *plan.Node) bool {
	if e.flags&option.AllowDuplicateNames != 0 {
		return false
	}
	switch k.Write {
	case plan.KindInt64, plan.KindInt, plan.KindUint:
		return false
	case plan.KindString:
		return e.flags&option.AllowInvalidUTF8 != 0
	}
	return true
}

// noteName returns a name, and notes it for uniqueNames if it may repeat.
func (e *Encoder) noteName(name string, repeats bool) string {
	if repeats {
		e.names = append(e.names, name)
	}
	return name
}

// uniqueNames fails if two of the names that were noted from begin on are equal. It drops
// them.
func (e *Encoder) uniqueNames(begin int) {
	names := e.names[begin:]
	if len(names) == 0 {
		return
	}
	if e.flags&option.AllowInvalidUTF8 != 0 {
		for i, name := range names {
			if !utf8.ValidString(name) {
				names[i] = string([]rune(name)) // as it is written
			}
		}
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			e.fail(nil, syntax.ErrDuplicateName)
		}
	}
	e.dropNames(begin)
}

// uniqueKeys is uniqueNames for the keys of a map, which are strings.
func (e *Encoder) uniqueKeys(m reflect.Value) {
	begin := len(e.names)
	for k := range m.Seq() {
		e.noteName(k.String(), true)
	}
	e.uniqueNames(begin)
}
