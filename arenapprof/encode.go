package arenapprof

import (
	"runtime"
	"strings"
	"time"
)

// This file holds pprof's format, profile.proto: the messages and fields needed here. It must not
// depend on the meaning of the values.

// Numbers of fields.
const (
	profileSampleType    = 1
	profileSample        = 2
	profileLocation      = 4
	profileFunction      = 5
	profileStrings       = 6
	profileTime          = 9
	profilePeriodType    = 11
	profilePeriod        = 12
	profileDefaultSample = 14

	valueType, valueUnit = 1, 2

	sampleLocation, sampleValue, sampleLabel = 1, 2, 3
	labelKey, labelText                      = 1, 2

	locationID, locationLine  = 1, 4
	lineFunction, lineNumber  = 1, 2
	functionID, functionName  = 1, 2
	functionSystem, functFile = 3, 4
)

// An encoder holds the parts of a profile.
type encoder struct {
	strings   map[string]int64
	texts     []string
	functions map[[2]string]int64
	locations map[location]int64
	body      message // samples, locations and functions
}

type location struct {
	function int64
	line     int
}

func newEncoder() *encoder {
	e := &encoder{strings: map[string]int64{}, functions: map[[2]string]int64{}, locations: map[location]int64{}}
	e.text("") // it must be the first
	return e
}

// text returns the index of a string.
func (e *encoder) text(s string) int64 {
	i, ok := e.strings[s]
	if !ok {
		i = int64(len(e.texts))
		e.strings[s] = i
		e.texts = append(e.texts, s)
	}
	return i
}

// sample adds a sample with a stack, the innermost call first.
func (e *encoder) sample(pool string, frames []runtime.Frame, values [4]int64) {
	for len(frames) > 1 && isArena(frames[0].Function) {
		frames = frames[1:]
	}
	var m message
	for _, f := range frames {
		m.number(sampleLocation, e.location(f))
	}
	if len(frames) == 0 {
		m.number(sampleLocation, e.location(runtime.Frame{Function: "(other stacks)"}))
	}
	for _, v := range values {
		m.number(sampleValue, v)
	}
	var label message
	label.number(labelKey, e.text("pool"))
	label.number(labelText, e.text(pool))
	m.bytes(sampleLabel, label)
	e.body.bytes(profileSample, m)
}

// isArena reports whether a function is one of package arena.
func isArena(function string) bool {
	const path = "github.com/harena-go/arena"
	rest, ok := strings.CutPrefix(function, path)
	return ok && strings.HasPrefix(rest, ".") && !strings.Contains(rest, "_test.")
}

// location returns the number of a line, for samples.
func (e *encoder) location(f runtime.Frame) int64 {
	at := location{e.function(f), f.Line}
	id, ok := e.locations[at]
	if !ok {
		id = int64(len(e.locations) + 1)
		e.locations[at] = id
		var line, m message
		line.number(lineFunction, at.function)
		line.number(lineNumber, int64(f.Line))
		m.number(locationID, id)
		m.bytes(locationLine, line)
		e.body.bytes(profileLocation, m)
	}
	return id
}

func (e *encoder) function(f runtime.Frame) int64 {
	key := [2]string{f.Function, f.File}
	id, ok := e.functions[key]
	if !ok {
		id = int64(len(e.functions) + 1)
		e.functions[key] = id
		var m message
		m.number(functionID, id)
		m.number(functionName, e.text(f.Function))
		m.number(functionSystem, e.text(f.Function))
		m.number(functFile, e.text(f.File))
		e.body.bytes(profileFunction, m)
	}
	return id
}

// value returns a type of value.
func (e *encoder) value(name, unit string) (m message) {
	m.number(valueType, e.text(name))
	m.number(valueUnit, e.text(unit))
	return m
}

// profile returns the whole profile.
func (e *encoder) profile(now time.Time) []byte {
	var m message
	for _, v := range [...][2]string{{"alloc_objects", "count"}, {"alloc_space", "bytes"},
		{"inuse_objects", "count"}, {"inuse_space", "bytes"}} {
		m.bytes(profileSampleType, e.value(v[0], v[1]))
	}
	m = append(m, e.body...)
	m.number(profileTime, now.UnixNano())
	m.bytes(profilePeriodType, e.value("space", "bytes"))
	m.number(profilePeriod, 1)
	m.number(profileDefaultSample, e.text("alloc_space"))
	for _, s := range e.texts {
		m.bytes(profileStrings, []byte(s))
	}
	return m
}

// A message is an encoded protobuf message.
type message []byte

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*m = append(*m, byte(v)|0x80)
	}
	*m = append(*m, byte(v))
}

func (m *message) number(field int, v int64) {
	m.varint(uint64(field) << 3)
	m.varint(uint64(v))
}

func (m *message) bytes(field int, b []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(b)))
	*m = append(*m, b...)
}
