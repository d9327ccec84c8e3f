package arenaproto

import (
	"strings"
	"testing"

	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// edges are values of a wire type at the limits of validity, and beyond.
func edges(typ protowire.Type) (values []string) {
	for n := range 12 {
		for _, last := range []string{"\x00", "\x01", "\x02", "\x7f"} {
			values = append(values, map[protowire.Type]string{
				protowire.VarintType:  strings.Repeat("\xff", n) + last,
				protowire.Fixed32Type: strings.Repeat(last, min(n, 4)),
				protowire.Fixed64Type: strings.Repeat(last, min(n, 8)),
				protowire.BytesType:   string(rune(n)) + strings.Repeat("x", n-n/6) + strings.Repeat("\xff", n/6),
			}[typ])
		}
	}
	if typ == protowire.BytesType {
		for _, n := range []int{14, 15, 16, 17, 126, 127, 128, 129} {
			for k := range n - 1 {
				text := string(protowire.AppendVarint(nil, uint64(n))) + strings.Repeat("x", k) + "ü" + strings.Repeat("x", n-k-2)
				values = append(values, text, strings.Replace(text, "ü", "\xffx", 1))
			}
		}
	}
	return values
}

// TestPlain: fields for plain, with values at the limits of validity, complete and truncated, at the end of the input
// and before other bytes, including bytes that don't belong to the message.
func TestPlain(t *testing.T) {
	vs := variants()
	fields := (&three.All{}).ProtoReflect().Descriptor().Fields()
	for _, name := range []string{"one_double", "one_float", "one_int32", "one_int64", "one_sint32", "one_sint64", "one_bool", "one_string", "one_bytes", "one_color"} {
		num := fields.ByName(protoreflect.Name(name)).Number()
		typ := protowire.Type(plan.WireOf(compile.GoKinds[fields.ByNumber(num).Kind()].Kind))
		if name == "one_string" || name == "one_bytes" {
			typ = protowire.BytesType
		}
		for _, v := range edges(typ) {
			enter := string(protowire.AppendTag(nil, 12, protowire.Fixed64Type)) + "12345678"
			b := enter + string(protowire.AppendTag(nil, num, typ)) + v
			for cut := range min(4, len(v)) + 1 {
				part := b[:len(b)-cut]
				whole := string(protowire.AppendTag(nil, 400, protowire.BytesType)) + string(protowire.AppendVarint(nil, uint64(len(part)))) + b
				for _, in := range []string{part, part + enter + enter, whole + enter + enter} {
					if err := differ(vs, &three.All{}, []byte(in), UnmarshalOptions{}); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
			}
		}
	}
}

// TestPlainRequired: required fields are seen that are read by the fast way.
func TestPlainRequired(t *testing.T) {
	type all struct {
		A uint64 `protobuf:"fixed64,1,req,name=a"`
		B []byte `protobuf:"bytes,2,req,name=b"`
		C uint64 `protobuf:"fixed64,3,opt,name=c"`
	}
	for b, want := range map[string]error{"\x09abcdefgh\x12\x01b\x19abcdefgh\x19abcdefgh": nil, "\x19abcdefgh\x12\x01b\x19abcdefgh\x19abcdefgh": ErrRequired,
		"\x19abcdefgh\x09abcdefgh\x19abcdefgh\x19abcdefgh": ErrRequired} {
		if err := UnmarshalStruct(nil, []byte(b), new(all)); err != want {
			t.Errorf("%q: %v", b, err)
		}
	}
}
