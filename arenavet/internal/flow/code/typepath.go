package code

import (
	"go/types"
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file finds types along a path of fields, elements and pointers, as in summaries' names.

// LastField splits a pool's name into the object's and the field's.
func LastField(path string) (object, field string) {
	path = strings.TrimSuffix(path, "*&")
	n := strings.LastIndexByte(path, '.')
	if n < 0 || strings.ContainsAny(path[n:], "*[&(@") {
		return "", ""
	}
	return path[:n], path[n:]
}

// FirstStep splits the first step off a path: "*", ".name", "[]" or the like.
func FirstStep(path string) (step, rest string) {
	if n := strings.IndexAny(path[1:], "*.[@(#&"); path[0] != '*' && n >= 0 {
		return path[:n+1], path[n+1:]
	}
	if path[0] == '*' {
		return path[:1], path[1:]
	}
	return path, ""
}

// Stepped returns the type to which a step leads from a type, nil if unknown, and the field, if the step is one. The
// target of an interface's pointer isn't known, and needn't be.
func Stepped(t types.Type, step string) (types.Type, *types.Var) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if step == "*" {
			return u.Elem(), nil
		}
	case *types.Struct:
		for field := range u.Fields() {
			if step == "."+field.Name() {
				return field.Type(), field.Origin()
			}
		}
	case *types.Slice:
		if step == "*" {
			return t, nil
		} else if step == state.Elements {
			return u.Elem(), nil
		}
	case *types.Array:
		if step == state.Elements {
			return u.Elem(), nil
		}
	case *types.Map:
		switch step {
		case "*":
			return t, nil
		case state.Elements:
			return u.Elem(), nil
		case state.Keys:
			return u.Key(), nil
		}
	case *types.Interface, *types.Signature:
		if step == "*" {
			return types.Typ[types.Invalid], nil // no further steps from there
		}
	}
	return nil, nil
}
