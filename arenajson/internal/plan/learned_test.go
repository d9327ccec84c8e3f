package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/arenajson/internal/plan"
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

// checkFew decodes a text into a fewFields, and compares the result with one without learned names.
func checkFew(t *testing.T, text string) {
	t.Helper()
	var got, want fewFields
	var generic any
	err, wantErr := arenajson.Unmarshal(nil, []byte(text), &got), arenajson.Unmarshal(nil, []byte(text), &generic)
	if err == nil && wantErr == nil {
		d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(text, `"A"`, `"other"`)))
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\n%+v, not\n%+v (%v)", text, got, want, err)
		}
		return
	}
	var e, wantE *arenajson.Error
	if errors.As(err, &e) && e.Type != nil && wantErr != nil {
		return // a mismatch comes before an error
	}
	if !errors.As(err, &e) || !errors.As(wantErr, &wantE) || e.Offset != wantE.Offset || e.Pointer != wantE.Pointer || !errors.Is(e, wantE.Err) && e.Error() != wantE.Error() {
		t.Fatalf("%s: %v, not %v", text, err, wantErr)
	}
	if (err == nil) != arenajson.Valid([]byte(text)) {
		t.Fatalf("%s: %v, but arenajson.Valid says otherwise", text, err)
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
	if n := learned[fewFields](); n < 10 {
		t.Errorf("%d names were learned", n)
	}
}

// learned returns the number of names that the plan of a struct has learned.
func learned[T any]() int {
	names, _, _ := plan.LearnedOf(reflect.TypeFor[T]())
	return names
}

// TestLearnedTwice: a name that comes first when it isn't learned yet, in the same object, is a duplicate all
// the same once it is, and so is one that comes with escapes.
func TestLearnedTwice(t *testing.T) {
	type late struct {
		A int `json:"a"`
	}
	for i := range 20 {
		name := fmt.Sprintf("name%d", i)
		for range 4 {
			for _, text := range []string{`{"N":1,"N":2}`, `{"x":{"N":1,"N":2}}`, `{"N":1,"a":1,"other":3,"N":2}`, `{"N":1,"E":2}`,
				`{"E":2,"N":[]}`, `{"y":[{},{"N":1,"a":{},"N":1}]}`, `{"N":{"N":1},"z":{"N":{"E":1,"N":3}}}`} {
				text = strings.NewReplacer("N", name, "E", `\u006e`+name[1:]).Replace(text) + "         "
				var v late
				if err := arenajson.Unmarshal(nil, []byte(text), &v); !errors.Is(err, arenajson.ErrDuplicateName) {
					t.Fatalf("%s: %v", text, err)
				}
				if err := arenajson.Unmarshal(nil, []byte(text), &v, arenajson.AllowDuplicateNames(true)); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
	}
	if n := learned[late](); n < 10 {
		t.Errorf("%d names were learned", n)
	}
}

// TestLearnedOptions: names learned with some options are right with all others.
func TestLearnedOptions(t *testing.T) {
	type strict struct {
		A int `json:"a"`
	}
	text := []byte(`{"A":1,"b":{"c":2},"d":3}        `)
	for range 10 {
		v := strict{}
		if err := arenajson.Unmarshal(nil, text, &v); err != nil || v.A != 0 {
			t.Fatal(v, err)
		}
		if err := arenajson.Unmarshal(nil, text, &v, arenajson.DefaultOptionsV1()); err != nil || v.A != 1 {
			t.Fatal(v, err)
		}
		for _, o := range []arenajson.Options{arenajson.DefaultOptionsV2(), arenajson.DefaultOptionsV1()} {
			err := arenajson.Unmarshal(nil, text, &v, o, arenajson.RejectUnknownMembers(true), arenajson.MatchCaseInsensitiveNames(true))
			var e *arenajson.Error
			if !errors.As(err, &e) || e.Err != arenajson.ErrUnknownName || e.Pointer != "/b" {
				t.Fatal(err)
			}
		}
	}
}

// TestLearnedBound: the memory for learned names is bounded for any number of names.
func TestLearnedBound(t *testing.T) {
	type small struct {
		A int `json:"a"`
	}
	inside := `{"%[1]d":{"%[1]d":[{"%[1]d":1,"x%[1]d":2}]},"a":1}`
	for i := range 5_000 {
		for range 3 {
			var v small
			if err := arenajson.Unmarshal(nil, fmt.Appendf(nil, inside+"        ", i), &v); err != nil || v.A != 1 {
				t.Fatal(v, err)
			}
		}
	}
	names, cost, bound := plan.LearnedOf(reflect.TypeFor[small]())
	if cost > bound || names < 10 {
		t.Errorf("%d names are kept of the struct, and in all %d bytes, of %d", names, cost, bound)
	}
}

// TestLearnedDepth: the value of a learned name counts as a level, also if it is empty.
func TestLearnedDepth(t *testing.T) {
	type flat struct {
		A int `json:"a"`
	}
	for range 10 {
		for text, depth := range map[string]int{`{"e":{}}`: 2, `{"e":[]}`: 2, `{"e":[{}]}`: 3, `{"e":{"f":[]}}`: 3, `{"e":{"f":{"g":1}}}`: 3} {
			for limit := 1; limit <= 4; limit++ {
				var v flat
				err := arenajson.Unmarshal(nil, []byte(text+"                 "), &v, arenajson.WithDepthLimit(limit))
				if limit >= depth && err != nil || limit < depth && !errors.Is(err, arenajson.ErrDepth) {
					t.Fatalf("%s with %d levels: %v", text, limit, err)
				}
			}
		}
	}
}

// TestPlanOnce: goroutines that request the plan of a type at the same time get the same one, so that they
// share its learning.
func TestPlanOnce(t *testing.T) {
	for i := range 200 {
		typ := reflect.ArrayOf(i, reflect.TypeFor[fewFields]())
		var plans [4]*plan.Node
		var all sync.WaitGroup
		start := make(chan bool)
		for g := range plans {
			all.Go(func() {
				<-start
				plans[g] = plan.Of(typ)
			})
		}
		close(start)
		all.Wait()
		if plans != [4]*plan.Node{plans[0], plans[0], plans[0], plans[0]} {
			t.Fatalf("%v has several plans", typ)
		}
	}
}
