package testkit

import (
	"fmt"
	"strings"
	"testing"
)

// Caught runs f and returns the value of its panic, or nil if it didn't panic.
func Caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// WantPanic runs f and fails the test unless it panics with a message of the
// project's form that contains all the parts.
func WantPanic(t testing.TB, f func(), parts ...string) {
	t.Helper()
	v := Caught(f)
	if v == nil {
		t.Errorf("no panic; want one with %q", parts)
		return
	}
	msg := fmt.Sprint(v)
	if !strings.HasPrefix(msg, "arena") || strings.Count(msg, ": ") == 0 {
		t.Errorf("panic %q (a %T) doesn't start with \"arena: \"", msg, v)
	}
	for _, part := range parts {
		if !strings.Contains(msg, part) {
			t.Errorf("panic %q doesn't contain %q", msg, part)
		}
	}
}
