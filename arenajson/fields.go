package arenajson

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds which members of an object go to which fields of a struct. The rules
// are those of encoding/json/v2, which for correct tags are those of encoding/json: of
// several fields with a name the one least deeply embedded counts, then the one whose tag
// gives the name; if that leaves several, none does.

// A Struct is what a struct has fields for.
type structPlan struct {
	list    []field  // in the order in which they are written
	columns []column // of the same fields
	first   atomic.Pointer[member]
	names   nameTable
	others  vocabulary          // names without a field that came
	folded  map[string][]*field // by folded name, in the order of their ids
	casing  bool                // a field has the tag option case:ignore

	rest  *field // for members without a field, if there is one with the tag option embed
	flaws        // of the tags, or of a format, which isn't supported; only v2 minds
}

// flaws are what is wrong with the tags of a struct.
type flaws struct {
	err     error
	culprit reflect.Type // that struct, which may be embedded in the one of the plan
}

// A member is what has to be known of a name, which mostly is that of a field. What is needed
// each time comes first, in 64 bytes.
type member struct {
	prediction
	node   *node   // of the field, or nil if there is none of the name
	off    uintptr // in the struct that holds it
	id     uint32  // in the order of depth, then of declaration; those without a field come behind
	direct bool    // it is a field, and there is no path

	path    []step // to the struct that holds it, where pointers lead there; usually none
	literal string // "name": as a whole; empty if names like that come escaped

	inside atomic.Pointer[node] // what objects in a value without a field look like, if there were some
}

// A field is a field of a struct or of one embedded in it.
type field struct {
	member
	tag
	index []int

	written []byte // a comma, the name and a colon; nil if some options escape the name
	typ     reflect.Type
	isZero  func(reflect.Value) bool // its IsZero method, or nil
}

// A step leads through a pointer to an embedded struct.
type step struct {
	off    uintptr
	key    arena.TypeKey // of the struct
	closed bool          // the pointer can't be set, since its type isn't exported
}

// A level is a struct in which fields are looked for.
type level struct {
	typ    reflect.Type
	index  []int
	off    uintptr
	path   []step
	repeat bool // the type was seen before; its embedded structs aren't looked at
}

// A collector gathers the fields of a struct.
type collector struct {
	*planner
	plan   *structPlan
	typ    reflect.Type // that is looked at
	format flaws        // a field has a format
	fields []*field
	rests  []*field
	queue  []level
	seen   map[reflect.Type]bool
}

func (c *collector) wrong(format string, args ...any) {
	if c.plan.err == nil {
		c.plan.flaws = flaws{fmt.Errorf(format, args...), c.typ}
	}
}

// structPlan returns the plan for a struct type.
func (p *planner) structPlan(t reflect.Type) *structPlan {
	c := collector{planner: p, plan: new(structPlan), seen: map[reflect.Type]bool{t: true}, queue: []level{{typ: t}}}
	for len(c.queue) > 0 {
		l := c.queue[0]
		c.queue = c.queue[1:]
		c.level(&l)
	}
	c.choose()
	return c.plan
}

// level looks at the fields of one struct.
func (c *collector) level(l *level) {
	c.typ = l.typ
	names := map[string]bool{}
	anyTag, anyField, rests := false, false, 0
	for i := range l.typ.NumField() {
		sf := l.typ.Field(i)
		_, hasTag := sf.Tag.Lookup("json")
		anyTag = anyTag || hasTag
		tag, ignored, err := parseTag(sf)
		if err != nil {
			c.wrong("%w", err)
		}
		if ignored {
			continue
		}
		anyField = true
		f := &field{tag: tag, typ: sf.Type, index: append(slices.Clip(l.index), i)}
		f.off, f.path = l.off+sf.Offset, l.path
		if sf.Anonymous && !f.hasName {
			if indirect(sf.Type).Kind() != reflect.Struct {
				c.wrong("embedded Go struct field %s of non-struct type must be explicitly given a JSON name", sf.Name)
			} else {
				f.embed = true
			}
		}
		switch {
		case f.embed && c.embed(l, f, sf):
			if indirect(sf.Type).Kind() != reflect.Struct {
				rests++
			}
		default:
			c.field(f, sf, names)
		}
	}
	if rests > 1 {
		c.wrong("embedded Go struct fields of %v cannot both be a Go map", l.typ)
	}
	if l.typ.NumField() > 0 && !anyTag && !anyField {
		c.wrong("%w", errNoFields)
	}
}

//lint:ignore ST1005 this is the standard library's text
var errNoFields = errors.New("Go struct has no exported fields")

// embed handles an embedded struct, or a field for members without one. It returns false
// if it has to be taken for an ordinary field.
func (c *collector) embed(l *level, f *field, sf reflect.StructField) bool {
	if f.casing != 0 || f.omitZero || f.omitEmpty || f.quoted || f.format != "" || f.hasName {
		c.wrong("Go struct field %s cannot have any options other than `embed` specified", sf.Name)
		if f.hasName {
			return false
		}
		f.tag = tag{name: f.name, embed: true}
	}
	t := indirect(f.typ)
	if hasMethods(t) {
		c.wrong("embedded Go struct field %s of type %s must not implement marshal or unmarshal methods", sf.Name, t)
	}
	switch {
	case t.Kind() == reflect.Struct:
		if !l.repeat {
			c.enter(l, f, sf, t)
		}
		c.seen[t] = true
		return true
	case !sf.IsExported():
		c.wrong("embedded Go struct field %s is not exported", sf.Name)
		return true
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && !hasMethods(t.Key()):
		f.node = c.planner.plan(f.typ)
		c.rests = append(c.rests, f)
		return true
	}
	c.wrong("embedded Go struct field %s of type %s must be a Go struct, Go map of string key, or jsontext.Value", sf.Name, t)
	return false
}

// enter queues an embedded struct.
func (c *collector) enter(l *level, f *field, sf reflect.StructField, t reflect.Type) {
	next := level{typ: t, index: f.index, off: f.off, path: f.path, repeat: c.seen[t]}
	if f.typ.Kind() == reflect.Pointer {
		next.path = append(slices.Clip(l.path), step{f.off, arena.KeyOf(t), !sf.IsExported()})
		next.off = 0
	}
	c.queue = append(c.queue, next)
}

// field adds an ordinary field.
func (c *collector) field(f *field, sf reflect.StructField, names map[string]bool) {
	if !sf.IsExported() {
		t := indirect(f.typ)
		if !sf.Anonymous || t.Kind() != reflect.Struct {
			c.wrong("Go struct field %s is not exported", sf.Name)
			return
		}
		if hasMethods(t) {
			c.wrong("Go struct field %s is not exported for method calls", sf.Name)
			return
		}
	}
	if names[f.name] {
		c.wrong("Go struct field %s conflicts with another over JSON object name %q", sf.Name, f.name)
	}
	names[f.name] = true
	if f.format != "" && c.format.err == nil {
		//lint:ignore ST1005 this is the standard library's text
		c.format = flaws{fmt.Errorf("Go struct field %s has unsupported `format` tag option", sf.Name), c.typ}
	}
	f.node = c.planner.plan(f.typ)
	if f.quoted {
		f.node = &node{kind: kindQuoted, write: kindQuoted, typ: f.typ, size: f.typ.Size(), elem: f.node}
	}
	f.isZero = zeroMethod(f.typ)
	f.id = uint32(len(c.fields))
	c.fields = append(c.fields, f)
}

// choose picks the fields that count.
func (c *collector) choose() {
	slices.SortStableFunc(c.fields, func(x, y *field) int {
		return cmp.Or(strings.Compare(x.name, y.name), cmp.Compare(len(x.index), len(y.index)), trueFirst(x.hasName, y.hasName))
	})
	chosen := []*field{}
	for all := c.fields; len(all) > 0; {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		if n == 1 || len(all[0].index) != len(all[1].index) || all[0].hasName != all[1].hasName {
			chosen = append(chosen, all[0])
		}
		all = all[n:]
	}
	slices.SortFunc(chosen, func(x, y *field) int { return cmp.Compare(x.id, y.id) })
	for i, f := range chosen {
		f.id = uint32(i)
	}
	slices.SortFunc(chosen, func(x, y *field) int { return slices.Compare(x.index, y.index) })
	c.finish(chosen)
	if n := len(c.rests); n == 1 || n > 1 && len(c.rests[0].index) != len(c.rests[1].index) {
		c.plan.rest = c.rests[0]
	}
}

// finish fills in the plan.
func (c *collector) finish(chosen []*field) {
	s := c.plan
	s.list = make([]field, len(chosen))
	if s.err == nil {
		s.flaws = c.format
	}
	s.folded = map[string][]*field{}
	for i, from := range chosen {
		f := &s.list[i]
		f.node, f.off, f.path, f.id = from.node, from.off, from.path, from.id
		f.tag, f.index, f.typ, f.isZero = from.tag, from.index, from.typ, from.isZero
		f.predict(f.name)
		f.prepareName()
		f.direct = f.path == nil
		if i > 0 {
			s.list[i-1].next.Store(&f.member)
		}
		s.casing = s.casing || f.casing == caseIgnore
		key := string(text.Fold(nil, []byte(f.name)))
		s.folded[key] = append(s.folded[key], f)
	}
	for _, fields := range s.folded {
		slices.SortFunc(fields, func(x, y *field) int { return cmp.Compare(x.id, y.id) })
	}
	if len(s.list) > 0 {
		s.first.Store(&s.list[0].member)
	}
	s.names.build(s.list)
	s.others.memory = newLearning()
}

func trueFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// indirect returns what an unnamed pointer type points to, or the type itself.
func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return t.Elem()
	}
	return t
}
