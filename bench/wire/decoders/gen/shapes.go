package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/descriptorpb"
)

// shapes has messages of shapes that the others lack: a very wide one, and one of maps.
func shapes() (*descriptorpb.FileDescriptorProto, error) {
	s := &strings.Builder{}
	field := func(name string, n int, typ, rest string) {
		fmt.Fprintf(s, "field {name: %q number: %d type: TYPE_%s label: LABEL_%s}\n", name, n, typ, rest)
	}
	fmt.Fprintf(s, "name: 'shapes.proto' package: 'harena.shapes' syntax: 'proto3' options {go_package: "+
		"%q}\nmessage_type {name: 'Wide'\n", module)
	kinds := strings.Fields("INT64 STRING DOUBLE INT32 BOOL FIXED64 UINT64 SINT32 FLOAT BYTES")
	for n := 1; n <= 100; n++ {
		field(fmt.Sprintf("f%d", n), n, kinds[n%len(kinds)], "OPTIONAL")
	}
	s.WriteString("}\nmessage_type {name: 'Maps'\n")
	const itself = "OPTIONAL type_name: '.harena.shapes.Maps'"
	for i, t := range [][3]string{{"STRING", "STRING", "OPTIONAL"}, {"STRING", "INT64", "OPTIONAL"},
		{"INT32", "STRING", "OPTIONAL"}, {"STRING", "MESSAGE", itself}} {
		name := fmt.Sprintf("M%dEntry", i+1)
		field(fmt.Sprintf("m%d", i+1), i+1, "MESSAGE",
			fmt.Sprintf("REPEATED type_name: '.harena.shapes.Maps.%s'", name))
		fmt.Fprintf(s, "nested_type {name: %q options {map_entry: true}\n", name)
		field("key", 1, t[0], "OPTIONAL")
		field("value", 2, t[1], t[2])
		s.WriteString("}\n")
	}
	s.WriteString("}\n")
	f := new(descriptorpb.FileDescriptorProto)
	return f, prototext.Unmarshal([]byte(s.String()), f)
}
