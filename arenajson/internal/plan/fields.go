package plan

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file assigns the members of an object to the fields of a struct. The rules are those of
// encoding/json/v2, which for correct tags are those of encoding/json: of several fields with a
// name the least deeply embedded one counts, then the one with the name in its tag; if several
// remain, none counts.
//
// The messages and their conditions are the standard library's.

// A level is a struct whose fields are collected: the plan's own, or one embedded in it. Levels are
// visited in the order of their depth.
type level struct {
	typ    reflect.Type
	index  []int
	off    uintptr
	path   []step
	repeat bool // the type was seen before; its embedded structs are skipped
}

// A collector collects the fields of a struct.
type collector struct {
	*planner
	plan   *Struct
	typ    reflect.Type // of the current level
	format flaws        // a field has a format
	fields []*Field
	rests  []*Field
	queue  []level
	seen   map[reflect.Type]bool
}

// wrong records an error of the current level's struct. The first counts.
func (c *collector) wrong(format string, args ...any) {
	if c.plan.Err == nil {
		c.plan.flaws = flaws{fmt.Errorf(format, args...), c.typ}
	}
}

// structPlan returns the plan for a struct type.
func (p *planner) structPlan(t reflect.Type) *Struct {
	c := collector{planner: p, plan: new(Struct), seen: map[reflect.Type]bool{t: true}, queue: []level{{typ: t}}}
	// Breadth first: less deeply embedded fields come first.
	for len(c.queue) > 0 {
		l := c.queue[0]
		c.queue = c.queue[1:]
		c.level(&l)
	}
	c.choose()
	return c.plan
}

// level visits the fields of one struct: it parses their tags, and adds the fields that count to
// fields, to rests, or to the queue of embedded structs.
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
		f := &Field{Tag: tag, Type: sf.Type, index: append(slices.Clip(l.index), i)}
		f.Off, f.Path = l.off+sf.Offset, l.path
		// The fields of embedded structs without a name in their tag become the struct's.
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

// embed handles an embedded struct, or a field for members without one. It returns false if the
// field is an ordinary one.
func (c *collector) embed(l *level, f *Field, sf reflect.StructField) bool {
	// Options other than embed make no sense here, and are dropped.
	if f.casing != 0 || f.OmitZero || f.OmitEmpty || f.quoted || f.format != "" || f.hasName {
		c.wrong("Go struct field %s cannot have any options other than `embed` specified", sf.Name)
		if f.hasName {
			return false
		}
		f.Tag = Tag{Name: f.Name, embed: true}
	}
	t := indirect(f.Type)
	if hasMethods(t) && t != valueType {
		c.wrong("embedded Go struct field %s of type %s must not implement marshal or unmarshal methods", sf.Name, t)
	}
	switch {
	case t.Kind() == reflect.Struct:
		// The fields of a type that was seen at a lower depth don't count.
		if !l.repeat {
			c.enter(l, f, sf, t)
		}
		c.seen[t] = true
		return true
	case !sf.IsExported():
		c.wrong("embedded Go struct field %s is not exported", sf.Name)
		return true
	case t == valueType, t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && !hasMethods(t.Key()):
		f.Node = c.planner.plan(f.Type)
		c.rests = append(c.rests, f)
		return true
	}
	c.wrong("embedded Go struct field %s of type %s must be a Go struct, Go map of string key, or jsontext.Value",
		sf.Name, t)
	return false
}

// enter queues an embedded struct. Behind a pointer, the offsets of its fields begin anew.
func (c *collector) enter(l *level, f *Field, sf reflect.StructField, t reflect.Type) {
	next := level{typ: t, index: f.index, off: f.Off, path: f.Path, repeat: c.seen[t]}
	if f.Type.Kind() == reflect.Pointer {
		next.path = append(slices.Clip(l.path), step{f.Off, arena.KeyOf(t), !sf.IsExported()})
		next.off = 0
	}
	c.queue = append(c.queue, next)
}

// field adds an ordinary field. names are the names at this level so far.
func (c *collector) field(f *Field, sf reflect.StructField, names map[string]bool) {
	// The only unexported fields are embedded structs.
	if !sf.IsExported() {
		t := indirect(f.Type)
		if !sf.Anonymous || t.Kind() != reflect.Struct {
			c.wrong("Go struct field %s is not exported", sf.Name)
			return
		}
		if hasMethods(t) {
			c.wrong("Go struct field %s is not exported for method calls", sf.Name)
			return
		}
	}
	if names[f.Name] {
		c.wrong("Go struct field %s conflicts with another over JSON object name %q", sf.Name, f.Name)
	}
	names[f.Name] = true
	if f.format != "" && c.format.Err == nil {
		//lint:ignore ST1005 this is the standard library's text
		c.format = flaws{fmt.Errorf("Go struct field %s has unsupported `format` tag option", sf.Name), c.typ}
	}
	f.Node = c.planner.part(f.Type)
	if f.quoted {
		f.Node = &Node{Kind: KindQuoted, Write: KindQuoted, Type: f.Type, Size: f.Type.Size(), Elem: f.Node}
	}
	f.IsZero = zeroMethod(f.Type)
	// The order of discovery: by depth, then as declared.
	f.ID = uint32(len(c.fields))
	c.fields = append(c.fields, f)
}

// choose selects the fields that count, and sorts them in the order of writing.
func (c *collector) choose() {
	slices.SortStableFunc(c.fields, func(x, y *Field) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(len(x.index), len(y.index)),
			trueFirst(x.hasName, y.hasName))
	})
	chosen := []*Field{}
	// Fields of one name are adjacent, the first choice in front. If the second has the same depth
	// and also the name from its tag, or also not, neither counts.
	for all := c.fields; len(all) > 0; {
		n := 1
		for n < len(all) && all[n].Name == all[0].Name {
			n++
		}
		if n == 1 || len(all[0].index) != len(all[1].index) || all[0].hasName != all[1].hasName {
			chosen = append(chosen, all[0])
		}
		all = all[n:]
	}
	slices.SortFunc(chosen, func(x, y *Field) int { return cmp.Compare(x.ID, y.ID) })
	for i, f := range chosen {
		f.ID = uint32(i)
	}
	slices.SortFunc(chosen, func(x, y *Field) int { return slices.Compare(x.index, y.index) })
	c.finish(chosen)
	if n := len(c.rests); n == 1 || n > 1 && len(c.rests[0].index) != len(c.rests[1].index) {
		c.plan.Rest = c.rests[0]
	}
}

// finish fills in the plan. It copies the fields to one list, in the order of writing, since they
// refer to each other by address.
func (c *collector) finish(chosen []*Field) {
	s := c.plan
	if s.Err == nil {
		s.flaws = c.format
	}
	s.setFields(chosen)
	s.Names.build(s.List)
	s.Others.Memory = newLearning()
}

// setFields makes the list of fields, and its indexes.
func (s *Struct) setFields(chosen []*Field) {
	s.List = make([]Field, len(chosen))
	s.folded = map[string][]*Field{}
	for i, from := range chosen {
		f := &s.List[i]
		f.Node, f.Off, f.Path, f.ID = from.Node, from.Off, from.Path, from.ID
		f.Tag, f.index, f.Type, f.IsZero = from.Tag, from.index, from.Type, from.IsZero
		f.predict(f.Name)
		f.prepareName()
		f.Direct = f.Path == nil
		// Objects mostly have their members in the order of the fields: predict that.
		if i > 0 {
			s.List[i-1].Next.Store(&f.Member)
		}
		s.casing = s.casing || f.casing == caseIgnore
		key := string(text.Fold(nil, []byte(f.Name)))
		s.folded[key] = append(s.folded[key], f)
	}
	// Fields that differ in case only are sorted by ID.
	for _, fields := range s.folded {
		slices.SortFunc(fields, func(x, y *Field) int { return cmp.Compare(x.ID, y.ID) })
	}
	if len(s.List) > 0 {
		s.First.Store(&s.List[0].Member)
	}
}

// In returns the Struct for a kind of name matching. s itself is the one for exact names; the
// others are built from s on first use. It must be inlined.
func (s *Struct) In(m option.Matching) *Struct {
	if m == 0 {
		return s
	}
	return s.in(m)
}

// in is In for inexact matching.
//
//go:noinline
func (s *Struct) in(m option.Matching) *Struct {
	if v := s.views[m].Load(); v != nil {
		return v
	}
	return s.view(m)
}

// view makes the result of In.
func (s *Struct) view(m option.Matching) *Struct {
	v := s // without fields all options are alike
	if len(s.List) > 0 {
		v = &Struct{Names: s.Names, Rest: s.Rest, flaws: s.flaws, Others: Vocabulary{Memory: s.Others.Memory}}
		fields := make([]*Field, len(s.List))
		for i := range fields {
			fields[i] = &s.List[i]
		}
		v.setFields(fields)
	}
	// Use another goroutine's, if it was faster: all learn in one.
	s.views[m].CompareAndSwap(nil, v)
	return s.views[m].Load()
}

// trueFirst compares two bools: true comes first.
func trueFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// indirect returns the target of an unnamed pointer type, or the type itself. Fields of embedded
// pointers to structs become the struct's, too.
func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return t.Elem()
	}
	return t
}
