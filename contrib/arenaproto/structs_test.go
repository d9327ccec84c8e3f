package arenaproto

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/encoding/protowire"
)

// A rich is a struct with all shapes of fields that tags allow.
type rich struct {
	Bool             bool              `protobuf:"varint,1,opt,name=bool"`
	Int32            int32             `protobuf:"varint,2,opt,name=int32"`
	Zig              int64             `protobuf:"zigzag64,3,opt,name=zig"`
	Fixed            uint32            `protobuf:"fixed32,4,opt,name=fixed"`
	Float            float64           `protobuf:"fixed64,5,opt,name=float"`
	Text             label             `protobuf:"bytes,6,opt,name=text,casttype=label"`
	Bytes            []byte            `protobuf:"bytes,7,opt,name=bytes"`
	Pointer          *int64            `protobuf:"varint,8,opt,name=pointer"`
	Kube             *int32            `protobuf:"bytes,9,opt,name=kube"`
	Place            leaf              `protobuf:"bytes,10,opt,name=place"`
	Leaf             *leaf             `protobuf:"bytes,11,opt,name=leaf"`
	Places           []leaf            `protobuf:"bytes,12,rep,name=places"`
	Leaves           []*leaf           `protobuf:"bytes,13,rep,name=leaves"`
	Numbers          []int32           `protobuf:"varint,14,rep,packed,name=numbers"`
	Texts            []string          `protobuf:"bytes,15,rep,name=texts"`
	Floats           []float32         `protobuf:"fixed32,16,rep,name=floats"`
	Map              map[string]leaf   `protobuf:"bytes,17,rep,name=map" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"`
	Labels           map[string]string `protobuf:"bytes,18,rep,name=labels"`
	At               time.Time         `protobuf:"bytes,19,opt,name=at,stdtime"`
	For              *time.Duration    `protobuf:"bytes,20,opt,name=for,stdduration"`
	Upper            upper             `protobuf:"bytes,21,opt,name=upper,customtype=upper"`
	Uppers           []*upper          `protobuf:"bytes,22,rep,name=uppers,customtype=upper"`
	Choice           isChoice          `protobuf_oneof:"choice"`
	Ignored          int
	XXX_unrecognized []byte
}

type label string

type leaf struct {
	Name string `protobuf:"bytes,1,opt,name=name"`
	Next *leaf  `protobuf:"bytes,2,opt,name=next"`
}

// An upper decodes itself.
type upper struct{ s string }

var errUpper = errors.New("no text")

func (u *upper) Unmarshal(b []byte) error {
	if len(b) == 0 {
		return errUpper
	}
	u.s = strings.ToUpper(string(b))
	return nil
}

type isChoice interface{ isChoice() }

type choiceText struct {
	Text string `protobuf:"bytes,30,opt,name=choice_text,oneof"`
}

type choiceLeaf struct {
	Leaf *leaf `protobuf:"bytes,31,opt,name=choice_leaf,oneof"`
}

func (*choiceText) isChoice() {}
func (*choiceLeaf) isChoice() {}

func (*rich) XXX_OneofWrappers() []any { return []any{(*choiceText)(nil), (*choiceLeaf)(nil)} }

// field returns a field with a length.
func field(num protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), s)
}

// number returns a varint field.
func number(num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v)
}

// richWire is a rich in the wire format.
func richWire() []byte {
	leaf := "\x0a\x01n"
	return bytes.Join([][]byte{
		number(1, 1), number(2, 1<<64-5), number(3, 3), []byte("\x25\x01\x00\x00\x00"), []byte("\x29\x00\x00\x00\x00\x00\x00\xf8\x3f"),
		field(6, "text\xff"), field(7, ""), number(8, 8), number(9, 9), field(10, leaf), field(11, "\x12\x03"+leaf),
		field(12, leaf), field(12, ""), field(13, leaf), field(13, ""), field(14, "\x01\x02"), number(14, 3), field(15, "a"), field(15, ""),
		field(16, "\x00\x00\x80\x3f"), field(17, "\x0a\x01k\x12\x03"+leaf), field(17, ""), field(18, "\x0a\x01k\x12\x01v"),
		field(19, "\x08\x05\x10\x07"), field(20, "\x08\x02"), field(21, "abc"), field(22, "x"), field(22, "y"), field(30, "gone"), field(31, leaf),
		number(99, 1),
	}, nil)
}

// TestStruct: all shapes of fields are filled in.
func TestStruct(t *testing.T) {
	eight, nine, two, n := int64(8), int32(9), 2*time.Second, leaf{Name: "n"}
	want := rich{Bool: true, Int32: -5, Zig: -2, Fixed: 1, Float: 1.5, Text: "text\xff", Bytes: []byte{}, Pointer: &eight, Kube: &nine,
		Place: n, Leaf: &leaf{Next: &n}, Places: []leaf{n, {}}, Leaves: []*leaf{&n, {}}, Numbers: []int32{1, 2, 3}, Texts: []string{"a", ""},
		Floats: []float32{1}, Map: map[string]leaf{"k": n, "": {}}, Labels: map[string]string{"k": "v"}, At: time.Unix(5, 7).UTC(), For: &two,
		Upper: upper{"ABC"}, Uppers: []*upper{{"X"}, {"Y"}}, Choice: &choiceLeaf{&n}, XXX_unrecognized: number(99, 1)}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for range 2 {
			got := arena.New[rich](a)
			if err := UnmarshalStruct(a, richWire(), got); err != nil || !reflect.DeepEqual(got, &want) {
				t.Fatalf("%v\n%+v\ninstead of\n%+v", err, *got, want)
			}
			a.Reset()
		}
	}
	for i := range richWire() { // a truncated input may fail, but not panic
		_ = UnmarshalStruct(nil, richWire()[:i], new(rich))
	}
}

// TestStructErrors: the error of an input that can't be decoded gives the reason.
func TestStructErrors(t *testing.T) {
	type bad struct {
		F complex128 `protobuf:"varint,1,opt,name=f"`
	}
	type deeper struct {
		B []bad `protobuf:"bytes,1,rep,name=b"`
	}
	type oneof struct {
		C isChoice `protobuf_oneof:"c"`
	}
	type required struct {
		N *int32 `protobuf:"varint,1,req,name=n"`
	}
	contained, small := arena.NewArena(arena.WithNoScan()), arena.NewArena(arena.WithLimit(64))
	var limit *arena.LimitError
	for what, err := range map[string]error{
		"field F of":        UnmarshalStruct(nil, nil, new(deeper)),
		"XXX_OneofWrappers": UnmarshalStruct(nil, nil, new(oneof)),
		"is no struct":      UnmarshalStruct(nil, nil, new(int)),
		"self-contained":    UnmarshalStruct(contained, nil, new(rich)),
		"no text":           UnmarshalStruct(nil, field(21, ""), new(rich)),
		"invalid":           UnmarshalStruct(nil, []byte{8}, new(rich)),
		"required":          UnmarshalStruct(nil, nil, new(required)),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v instead of %s", err, what)
		}
	}
	if err := UnmarshalStruct(nil, nested(2, 9999), new(leaf)); err != nil {
		t.Error(err)
	}
	if err := UnmarshalStruct(nil, nested(2, 10000), new(leaf)); !errors.Is(err, ErrStruct) {
		t.Error(err)
	}
	if err := UnmarshalStruct(small, richWire(), new(rich)); !errors.As(err, &limit) {
		t.Error(err)
	}
	if err := UnmarshalStruct(nil, number(1, 1), new(required)); err != nil {
		t.Error(err)
	}
}

// A liar's tag says something else than its method does.
type liar struct {
	N int32 `protobuf:"varint,1,opt,name=n"`
}

func (l *liar) Unmarshal(b []byte) error { l.N = 42; return nil }

// TestStructLiar: a tag isn't believed if the type's method knows better.
func TestStructLiar(t *testing.T) {
	if err := UnmarshalStruct(nil, nil, new(liar)); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Error(err)
	}
}

// TestStructAllocations: structs without maps and methods aren't allocated on the heap.
func TestStructAllocations(t *testing.T) {
	a := arena.NewArena()
	b := bytes.Repeat(field(2, "\x0a\x04name\x12\x02\x0a\x00"), 1)
	if n := testing.AllocsPerRun(100, func() {
		a.Reset()
		if err := UnmarshalStruct(a, b, arena.New[leaf](a)); err != nil {
			t.Fatal(err)
		}
	}); n > 0 && testkit.Countable() {
		t.Errorf("%v allocations", n)
	}
}
