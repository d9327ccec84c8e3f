package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
)

type fewFields struct {
	A int         `json:"a"`
	B string      `json:"bee"`
	C []fewFields `json:"c"`
}

// texts makes objects at random with names that come again and again, in an order that mostly is the same.
type texts struct{ *rand.Rand }

var manyNames = []string{"a", "u", "bee", "one", "two", "c", "a name of more than two words", "a name of more than 2&3 words", `\u0075`, "longer12", "longer13",
	"ünï", "x", "bee2", "c8901234", "c8901234567890", "c8901234567891", `o\u006ee`, "A", "y", "last"}

func (r texts) object(b *strings.Builder, depth int) {
	b.WriteByte('{')
	sep := ""
	space := func() {
		if r.IntN(8) == 0 {
			b.WriteString(" \n\t "[r.IntN(3):])
		}
	}
	for i := 0; i < len(manyNames); i++ {
		name := manyNames[i]
		switch n := r.IntN(400); {
		case n < 40 || strings.Contains(name, `\`) && n < 390:
			continue
		case n < 44:
			i -= r.IntN(i + 1) // which mostly ends in a duplicate
		case n < 54:
			name = manyNames[r.IntN(len(manyNames))]
		case n < 60:
			name = fmt.Sprint("new", r.Uint32()%50)
		}
		b.WriteString(sep + `"` + name + `"`)
		space()
		b.WriteByte(':')
		space()
		switch {
		case name == "a":
			fmt.Fprint(b, r.IntN(1000))
		case name == "bee":
			b.WriteString(`"x\n"`)
		case name == "c" && depth > 0:
			r.list(b, depth-1)
		case name == "c":
			b.WriteString("null")
		default:
			r.value(b, depth-1)
		}
		space()
		sep = ","
	}
	b.WriteByte('}')
}

func (r texts) list(b *strings.Builder, depth int) {
	b.WriteByte('[')
	for i := range r.IntN(3) {
		if i > 0 {
			b.WriteByte(',')
		}
		r.object(b, depth)
	}
	b.WriteByte(']')
}

func (r texts) value(b *strings.Builder, depth int) {
	n := r.IntN(30)
	switch {
	case n < 4 && depth > 0:
		r.object(b, depth)
	case n < 6 && depth > 0:
		r.list(b, depth)
	default:
		b.WriteString([]string{"1", "true", "false", "null", "-2.5e3", `"s"`, `"\u00e9ü"`, "[]", "{}", `[1,{"u":[]}]`, `{"u":{},"one":2}`}[n%11])
	}
	if r.IntN(500) == 0 {
		b.WriteString([]string{"x", "]", "}", `"`}[r.IntN(4)])
	}
}

// checkFew reads a text to a fewFields, and holds that to what is read without learned names.
func checkFew(t *testing.T, text string) {
	t.Helper()
	var got, want fewFields
	var generic any
	err, wantErr := Unmarshal(nil, []byte(text), &got), Unmarshal(nil, []byte(text), &generic)
	if err == nil && wantErr == nil {
		d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(text, `"A"`, `"other"`)))
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\n%+v, not\n%+v (%v)", text, got, want, err)
		}
		return
	}
	var e, wantE *Error
	if errors.As(err, &e) && e.Type != nil && wantErr != nil {
		return // what doesn't fit comes before what is wrong
	}
	if !errors.As(err, &e) || !errors.As(wantErr, &wantE) || e.Offset != wantE.Offset || e.Pointer != wantE.Pointer || !errors.Is(e, wantE.Err) && e.Error() != wantE.Error() {
		t.Fatalf("%s: %v, not %v", text, err, wantErr)
	}
	if (err == nil) != Valid([]byte(text)) {
		t.Fatalf("%s: %v, but Valid says otherwise", text, err)
	}
}

// TestLearnedNames: names that are learned, in all orders, doubled, with escapes, cut off, and in objects
// within, make no difference, also where several goroutines learn them.
func TestLearnedNames(t *testing.T) {
	var all sync.WaitGroup
	for g := range uint64(3) {
		all.Go(func() {
			r := texts{rand.New(rand.NewPCG(g, 1))}
			for i := range 2_000 {
				var b strings.Builder
				r.object(&b, 3)
				text := b.String()
				if i%4 == 0 {
					text = text[:r.IntN(len(text)+1)]
				}
				if !t.Failed() {
					checkFew(t, text)
				}
			}
		})
	}
	all.Wait()
	if n := planOf(reflect.TypeFor[fewFields]()).fields.others.count; n < 10 {
		t.Errorf("%d names were learned", n)
	}
}

// TestLearnedTwice: a name that comes first when it isn't learned yet, in the same object, is a duplicate all
// the same once it is, and so is one that comes with escapes.
func TestLearnedTwice(t *testing.T) {
	type late struct {
		A int `json:"a"`
	}
	s := planOf(reflect.TypeFor[late]()).fields
	for i := range 20 {
		name := fmt.Sprintf("name%d", i)
		for range 4 {
			for _, text := range []string{`{"N":1,"N":2}`, `{"x":{"N":1,"N":2}}`, `{"N":1,"a":1,"other":3,"N":2}`, `{"N":1,"E":2}`,
				`{"E":2,"N":[]}`, `{"y":[{},{"N":1,"a":{},"N":1}]}`, `{"N":{"N":1},"z":{"N":{"E":1,"N":3}}}`} {
				text = strings.NewReplacer("N", name, "E", `\u006e`+name[1:]).Replace(text) + "         "
				var v late
				if err := Unmarshal(nil, []byte(text), &v); !errors.Is(err, ErrDuplicateName) {
					t.Fatalf("%s: %v", text, err)
				}
				if err := Unmarshal(nil, []byte(text), &v, AllowDuplicateNames(true)); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
	}
	if s.others.count < 10 {
		t.Errorf("%d names were learned", s.others.count)
	}
}

// TestLearnedOptions: what is learned with some options is right with all others.
func TestLearnedOptions(t *testing.T) {
	type strict struct {
		A int `json:"a"`
	}
	text := []byte(`{"A":1,"b":{"c":2},"d":3}        `)
	for range 10 {
		v := strict{}
		if err := Unmarshal(nil, text, &v); err != nil || v.A != 0 {
			t.Fatal(v, err)
		}
		if err := Unmarshal(nil, text, &v, DefaultOptionsV1()); err != nil || v.A != 1 {
			t.Fatal(v, err)
		}
		for _, o := range []Options{DefaultOptionsV2(), DefaultOptionsV1()} {
			err := Unmarshal(nil, text, &v, o, RejectUnknownMembers(true), MatchCaseInsensitiveNames(true))
			var e *Error
			if !errors.As(err, &e) || e.Err != ErrUnknownName || e.Pointer != "/b" {
				t.Fatal(err)
			}
		}
	}
}

// TestLearnedBound: however many names come, what is kept of them is bounded.
func TestLearnedBound(t *testing.T) {
	type small struct {
		A int `json:"a"`
	}
	inside := `{"%[1]d":{"%[1]d":[{"%[1]d":1,"x%[1]d":2}]},"a":1}`
	for i := range 5_000 {
		for range 3 {
			var v small
			if err := Unmarshal(nil, fmt.Appendf(nil, inside+"        ", i), &v); err != nil || v.A != 1 {
				t.Fatal(v, err)
			}
		}
	}
	s := planOf(reflect.TypeFor[small]()).fields
	names, plans := s.others.size()
	if cost := names*nameCost + plans*insideCost; cost > learnBytes || names < 20 {
		t.Errorf("%d names and %d plans are kept, of %d bytes", names, plans, cost)
	}
}

// size returns how many names and plans there are in all.
func (v *vocabulary) size() (names, plans int) {
	t := v.table.Load()
	if t == nil {
		return 0, 0
	}
	for i := range *t {
		if f := (*t)[i].Load(); f != nil {
			names++
			if n := f.inside.Load(); n != nil {
				m, p := n.fields.others.size()
				names, plans = names+m, plans+p+1
			}
		}
	}
	return names, plans
}

// TestLearnedDepth: what a learned name has counts as a level, also if it is empty.
func TestLearnedDepth(t *testing.T) {
	type flat struct {
		A int `json:"a"`
	}
	for range 10 {
		for text, depth := range map[string]int{`{"e":{}}`: 2, `{"e":[]}`: 2, `{"e":[{}]}`: 3, `{"e":{"f":[]}}`: 3, `{"e":{"f":{"g":1}}}`: 3} {
			for limit := 1; limit <= 4; limit++ {
				var v flat
				err := Unmarshal(nil, []byte(text+"                 "), &v, WithDepthLimit(limit))
				if limit >= depth && err != nil || limit < depth && !errors.Is(err, ErrDepth) {
					t.Fatalf("%s with %d levels: %v", text, limit, err)
				}
			}
		}
	}
}

// TestPlanOnce: goroutines that ask for the plan of a type at once get one and the same, or what one learns
// the others don't know.
func TestPlanOnce(t *testing.T) {
	for i := range 200 {
		typ := reflect.ArrayOf(i, reflect.TypeFor[fewFields]())
		var plans [4]*node
		var all sync.WaitGroup
		start := make(chan bool)
		for g := range plans {
			all.Go(func() {
				<-start
				plans[g] = planOf(typ)
			})
		}
		close(start)
		all.Wait()
		if plans != [4]*node{plans[0], plans[0], plans[0], plans[0]} {
			t.Fatalf("%v has several plans", typ)
		}
	}
}
