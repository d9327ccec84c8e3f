// Gen writes the sources of package messages to a directory: OpenTelemetry's messages and those of descriptor.proto
// under other names, so that they can be in one program with the originals, with two sets of methods of vtprotobuf,
// and code that reads all their fields. UnmarshalVT allocates messages, UnmarshalPooledVT takes them from pools.
//
//	gen DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/planetscale/vtprotobuf/features/pool"
	_ "github.com/planetscale/vtprotobuf/features/unmarshal"
	"github.com/planetscale/vtprotobuf/generator"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	name   = "messages"
	module = "github.com/harena-go/arena/bench/wire/decoders/" + name
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "gen: where to?")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate writes the sources to dir.
func generate(dir string) error {
	extra, err := shapes()
	if err != nil {
		return err
	}
	files := []*descriptorpb.FileDescriptorProto{
		merge("otlp", common.File_opentelemetry_proto_common_v1_common_proto,
			resource.File_opentelemetry_proto_resource_v1_resource_proto,
			trace.File_opentelemetry_proto_trace_v1_trace_proto, logs.File_opentelemetry_proto_logs_v1_logs_proto,
			metrics.File_opentelemetry_proto_metrics_v1_metrics_proto),
		merge("descriptor", descriptorpb.File_google_protobuf_descriptor_proto),
		extra,
	}
	structs := func(p *protogen.Plugin) error {
		for _, f := range p.Files {
			internal_gengo.GenerateFile(p, f)
		}
		return readers(p)
	}
	pooledName := strings.NewReplacer("UnmarshalVT", "UnmarshalPooledVT")
	if err := run(files, structs, dir, "", nil); err != nil {
		return err
	}
	if err := run(files, allocating, dir, "", nil); err != nil {
		return err
	}
	return run(files, pooling, dir, "pooled_", pooledName)
}

func allocating(p *protogen.Plugin) error {
	return methods(p, generator.NewObjectSet(), "unmarshal")
}

func pooling(p *protogen.Plugin) error {
	all := generator.NewObjectSet()
	if err := all.Set(module + ".*"); err != nil {
		return err
	}
	return methods(p, all, "unmarshal", "pool")
}

// methods generates vtprotobuf's, with pools for some messages.
func methods(p *protogen.Plugin, pooled generator.ObjectSet, features ...string) error {
	g, err := generator.NewGenerator(p, features, &generator.Config{Poolable: pooled,
		PoolableExclude: generator.NewObjectSet()})
	if err == nil {
		g.Generate()
	}
	return err
}

// run writes the output of a generator for the files, under names that begin with prefix, and changed by edit if it
// isn't nil.
func run(files []*descriptorpb.FileDescriptorProto, generate func(*protogen.Plugin) error, dir, prefix string,
	edit *strings.Replacer) error {
	q := &pluginpb.CodeGeneratorRequest{ProtoFile: files, Parameter: proto.String("paths=source_relative")}
	for _, f := range files {
		q.FileToGenerate = append(q.FileToGenerate, f.GetName())
	}
	p, err := protogen.Options{}.New(q)
	if err != nil {
		return err
	}
	if err := generate(p); err != nil {
		return err
	}
	answer := p.Response()
	if answer.Error != nil {
		return fmt.Errorf("%s", answer.GetError())
	}
	for _, f := range answer.File {
		text := f.GetContent()
		if edit != nil {
			text = edit.Replace(text)
		}
		if err := os.WriteFile(filepath.Join(dir, prefix+f.GetName()), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one file of several, in a package of another name.
func merge(of string, files ...protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	to := &descriptorpb.FileDescriptorProto{Name: proto.String(of + ".proto"), Package: proto.String("harena." + of),
		Options: &descriptorpb.FileOptions{GoPackage: proto.String(module)}}
	for _, f := range files {
		d := protodesc.ToFileDescriptorProto(f)
		to.Syntax = d.Syntax
		for _, m := range d.MessageType {
			rename(m, "."+to.GetPackage())
		}
		to.MessageType, to.EnumType = append(to.MessageType, d.MessageType...), append(to.EnumType, d.EnumType...)
	}
	return to
}

// packages are the packages whose messages get other names.
var packages = []string{".google.protobuf", ".opentelemetry.proto.common.v1",
	".opentelemetry.proto.resource.v1", ".opentelemetry.proto.trace.v1",
	".opentelemetry.proto.logs.v1", ".opentelemetry.proto.metrics.v1"}

// rename makes the fields of a message refer to packages by their new name.
func rename(m *descriptorpb.DescriptorProto, to string) {
	for _, f := range m.Field {
		for _, from := range packages {
			if rest, ok := strings.CutPrefix(f.GetTypeName(), from+"."); ok {
				f.TypeName = proto.String(to + "." + rest)
			}
		}
	}
	for _, n := range m.NestedType {
		rename(n, to)
	}
}
