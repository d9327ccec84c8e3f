package arenaproto_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/sourcecontextpb"
	"google.golang.org/protobuf/types/known/typepb"
)

// wire returns a message in the wire format, as from a connection.
func wire() []byte {
	b, err := proto.Marshal(&apipb.Api{Name: "shop.Orders", Version: "v1",
		Methods:       []*apipb.Method{{Name: "Create"}, {Name: "Cancel", Options: []*typepb.Option{{Name: "idempotent"}}}},
		SourceContext: &sourcecontextpb.SourceContext{FileName: "orders.proto"}})
	if err != nil {
		panic(err)
	}
	return b
}

// A pool of arenas that reuse memory.
var pool = arena.NewPool(arena.WithLimit(1 << 20))

func Example() {
	for _, b := range [][]byte{wire(), wire()} {
		err := pool.Do(func(a *arena.Arena) error {
			api, err := arenaproto.New[apipb.Api](a, b)
			if err != nil {
				return err
			}
			fmt.Println(api.GetName(), len(api.GetMethods()))
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// shop.Orders 2
	// shop.Orders 2
}

func ExampleUnmarshal() {
	a := arena.NewArena()
	var api apipb.Api // it may be anywhere
	if err := arenaproto.Unmarshal(a, wire(), &api); err != nil {
		fmt.Println(err)
	}
	fmt.Println(api.GetMethods()[1].GetOptions()[0].GetName())

	err := arenaproto.Unmarshal(a, []byte("\x0a\xff"), &api)
	fmt.Println(strings.Contains(err.Error(), "cannot parse invalid wire-format data"))
	// Output:
	// idempotent
	// true
}

func ExampleNew() {
	a := arena.NewArena(arena.WithLimit(4 << 10))
	api, err := arenaproto.New[apipb.Api](a, wire())
	fmt.Println(api.GetSourceContext().GetFileName(), err)

	_, err = arenaproto.New[apipb.Api](a, make([]byte, 1<<20))
	var limit *arena.LimitError
	fmt.Println(errors.As(err, &limit))
	// Output:
	// orders.proto <nil>
	// true
}

func ExampleClone() {
	a := arena.NewArena()
	api, err := arenaproto.New[apipb.Api](a, wire())
	if err != nil {
		fmt.Println(err)
	}
	kept := arenaproto.Clone(api.GetMethods()[0])
	a.Reset() // kept lives on, api doesn't
	fmt.Println(kept.GetName())
	// Output: Create
}

func ExampleUnmarshalOptions() {
	a := arena.NewArena()
	body := wire()
	o := arenaproto.UnmarshalOptions{
		AliasBuffer:    true, // body doesn't change
		DiscardUnknown: true,
		RecursionLimit: 20,
	}
	api := arena.New[apipb.Api](a)
	fmt.Println(o.Unmarshal(a, body, api), api.GetVersion())
	// Output: <nil> v1
}

// The values of a message are allocated together, without an arena.
func ExampleUnmarshalOptions_batch() {
	api := new(apipb.Api)
	err := arenaproto.UnmarshalOptions{Batch: true}.Unmarshal(nil, wire(), api)
	fmt.Println(err, api.GetVersion()) // an ordinary message: it may be kept
	// Output: <nil> v1
}

func ExampleUnmarshalOptions_Unmarshal() {
	a := arena.NewArena()
	api := &apipb.Api{Name: "before"}
	b, _ := proto.Marshal(&apipb.Api{Methods: []*apipb.Method{{Name: "More"}}})
	err := arenaproto.UnmarshalOptions{Merge: true}.Unmarshal(a, b, api)
	fmt.Println(api.GetName(), api.GetMethods()[0].GetName(), err)
	// Output: before More <nil>
}

func ExampleCloneIn() {
	defaults := &apipb.Api{Name: "defaults", Methods: []*apipb.Method{{Name: "Ping"}}} // of the whole program
	a := arena.NewArena()
	api, err := arenaproto.CloneIn(a, defaults)
	if err != nil {
		fmt.Println(err)
		return
	}
	api.Methods[0].Name = "Pong"
	fmt.Println(defaults.Methods[0].Name, api.Methods[0].Name)
	// Output: Ping Pong
}

func ExampleMerge() {
	a := arena.NewArena()
	api := arena.New[apipb.Api](a)
	api.Name, api.Version = "shop", "v1"
	err := arenaproto.Merge(a, api, &apipb.Api{Version: "v2", Methods: []*apipb.Method{{Name: "Ping"}}})
	fmt.Println(api.Name, api.Version, len(api.Methods), err)
	// Output: shop v2 1 <nil>
}

func ExampleAppendMarshal() {
	a := arena.NewArena()
	b, err := arenaproto.AppendMarshal(a, durationpb.New(1500000000))
	fmt.Printf("%x %v\n", b, err)
	// Output: 08011080cab5ee01 <nil>
}

// A Point is a struct as gogo/protobuf would generate it, with a message in place.
type Point struct {
	Name   string  `protobuf:"bytes,1,opt,name=name,proto3"`
	X      int64   `protobuf:"varint,2,opt,name=x,proto3"`
	Within []Point `protobuf:"bytes,3,rep,name=within,proto3"`
}

func ExampleUnmarshalStruct() {
	a := arena.NewArena()
	p := arena.New[Point](a)
	err := arenaproto.UnmarshalStruct(a, []byte("\x0a\x01a\x1a\x05\x0a\x01b\x10\x07"), p)
	fmt.Println(p.Name, p.Within[0].Name, p.Within[0].X, err)
	// Output: a b 7 <nil>
}

func ExampleExplain() {
	fmt.Println(arenaproto.Explain(&apipb.Api{}))
	// Output: google.protobuf.Api: 6 message types are decoded into arenas
}

func ExampleReport() {
	r := arenaproto.Explain(&descriptorpb.EnumValueDescriptorProto{})
	for _, left := range r.Left {
		fmt.Println(left.Message, "has something on the heap")
	}
	fmt.Println(arenaproto.Explain(&descriptorpb.FeatureSet{}).String())
	// Output:
	// google.protobuf.EnumValueOptions has something on the heap
	// google.protobuf.FeatureSet has something on the heap
	// google.protobuf.FeatureSet: 1 message types are decoded into arenas
	// google.protobuf.FeatureSet is left to the official runtime: its extensions are known to that runtime only
}

func ExampleLeft() {
	left := arenaproto.Explain(&descriptorpb.FeatureSet{}).Left[0]
	fmt.Printf("%s %q: %s\n", left.Message, left.Field, left.Reason)
	// Output: google.protobuf.FeatureSet "": its extensions are known to that runtime only
}
