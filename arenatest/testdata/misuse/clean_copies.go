package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unique"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
)

// Correct programs, which keep copies of what was in an arena.

var _ = clean("clean/Clone", cleanClone)

// The order that is kept is a copy.
func cleanClone() {
	a := newArena()
	lastOrder = arena.Clone(newOrder(a, 1))
	a.Reset()
	sinkInt = lastOrder.id
}

var _ = clean("clean/DeepClone", cleanDeepClone)

// And so is what it points to.
func cleanDeepClone() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error {
		o := newOrder(a, 1)
		o.customer = arena.NewOf(a, customer{1, a.AllocString("hen")})
		o.items = arena.Append(a, o.items, item{1, 2, 3})
		o.next = o
		ordersByID[1] = arena.DeepClone(o)
		return nil
	})
	answer(ordersByID[1].next.customer.name)
}

var _ = clean("clean/map key", cleanMapKey)

// The key is cloned before it is stored.
func cleanMapKey() {
	a := newArena()
	for range 3 {
		name := a.AllocString("a name")
		if _, ok := seenNames[name]; !ok {
			seenNames[strings.Clone(name)] = 0
		}
		a.Reset()
	}
	for name := range seenNames {
		answer(name)
	}
}

var _ = clean("clean/lookup", cleanLookup)

// Looking up with a key from the arena doesn't store it.
func cleanLookup() {
	seenNames["hen"] = 1
	a := newArena()
	sinkInt = seenNames[a.AllocString("hen")]
	if _, ok := seenNames[string(a.AllocBytes(3))]; ok {
		delete(seenNames, a.AllocString("hen"))
	}
	a.Reset()
}

var _ = clean("clean/tokens", cleanTokens)

// Tokens are cloned.
func cleanTokens() {
	a := newArena()
	for token := range strings.FieldsSeq(a.AllocString("func lay egg")) {
		symbols = append(symbols, strings.Clone(token))
	}
	a.Reset()
	answer(symbols[2])
}

var interned unique.Handle[string]

var _ = clean("clean/unique", cleanUnique)

// Package unique clones what it is given.
func cleanUnique() {
	a := newArena()
	interned = unique.Make(a.AllocString("a name that is seen often"))
	a.Reset()
	answer(interned.Value())
}

var _ = clean("clean/json", cleanJSON)

// Decoding copies text.
func cleanJSON() {
	a := newArena()
	input := a.AllocBytes(16)
	copy(input, `{"Title":"hens"}`)
	var d document
	if json.Unmarshal(input, &d) != nil {
		panic("not decoded")
	}
	documents = append(documents, d)
	a.Reset()
	answer(documents[0].Title)
}

var _ = clean("clean/errors", cleanErrors)

// Formatting copies text, and so do the errors of strconv.
func cleanErrors() {
	a := newArena()
	name := a.AllocString("hen")
	_, err := strconv.Atoi(name)
	lastError = errors.Join(err, fmt.Errorf("no number: %s", name))
	a.Reset()
	answer(lastError.Error())
}

var _ = clean("clean/bytes", cleanBytes)

// What is appended to the tail is copied.
func cleanBytes() {
	a := newArena(arena.WithNoScan())
	for range 3 {
		buffer := a.AllocBytes(100)
		copy(buffer, "line\nli")
		tail = append(tail[:0], buffer[bytes.LastIndexByte(buffer, '\n')+1:]...)
		a.Reset()
	}
	sinkByte = tail[0]
}

var _ = clean("clean/value", cleanValue)

// A struct without pointers is copied by assignment.
func cleanValue() {
	a := newArena()
	origin = *arena.NewOf(a, point{1, 2, 3})
	a.Reset()
	sinkInt = origin.z
}

var origin point

var _ = clean("clean/address", cleanAddress)

// An address that is a number holds nothing.
func cleanAddress() {
	a := newArena()
	address = uintptr(unsafe.Pointer(newOrder(a, 1)))
	a.Reset()
}

var address uintptr

var _ = clean("clean/weak", cleanWeak)

// Nor does a weak pointer.
func cleanWeak() {
	a := newArena()
	weakly = weak.Make(newOrder(a, 1))
	a.Reset()
}

var weakly weak.Pointer[order]

var _ = clean("clean/zero size", cleanZeroSize)

// Values of no size have no memory.
func cleanZeroSize() {
	a := newArena()
	nothing = arena.New[struct{}](a)
	noBytes = arena.MakeSlice[struct{}](a, 10, 10)
	emptyText = a.AllocString("")
	a.Reset()
	sinkInt = len(noBytes) + len(emptyText)
}

var (
	nothing   *struct{}
	noBytes   []struct{}
	emptyText string
)
