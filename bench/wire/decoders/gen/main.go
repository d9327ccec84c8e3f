// Gen makes the messages that are decoded, and the code that reads all their fields: OpenTelemetry's
// and those of descriptor.proto under other names, so that the code of two generators can be in one
// program beside the originals. In directory plain they have the methods of vtprotobuf, in directory pooled
// those that take messages from pools.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	module        = "github.com/harena-go/arena/bench/wire/decoders"
	goPlugin      = "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12"
	vtPlugin      = "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0"
	plain, pooled = "plain", "pooled"
)

func main() {
	for _, dir := range []string{plain, pooled} {
		if err := generate(dir); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// generate writes the sources of one directory.
func generate(dir string) error {
	files := []*descriptorpb.FileDescriptorProto{
		merge(dir, "otlp", common.File_opentelemetry_proto_common_v1_common_proto, resource.File_opentelemetry_proto_resource_v1_resource_proto,
			trace.File_opentelemetry_proto_trace_v1_trace_proto, logs.File_opentelemetry_proto_logs_v1_logs_proto,
			metrics.File_opentelemetry_proto_metrics_v1_metrics_proto),
		merge(dir, "descriptor", descriptorpb.File_google_protobuf_descriptor_proto),
	}
	options := "features=unmarshal"
	if dir == pooled {
		options = "features=unmarshal+pool"
		for _, f := range files {
			for _, m := range f.MessageType {
				options += pools(dir, m, "")
			}
		}
	}
	for plugin, options := range map[string]string{goPlugin: "", vtPlugin: options} {
		if err := run(plugin, options, dir, files); err != nil {
			return err
		}
	}
	source, err := readers(dir, files)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "read.go"), source, 0o666)
}

// merge makes one file of several, in a package of another name.
func merge(dir, name string, files ...protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	to := &descriptorpb.FileDescriptorProto{Name: proto.String(dir + "/" + name + ".proto"), Package: proto.String("harena." + dir + "." + name),
		Options: &descriptorpb.FileOptions{GoPackage: proto.String(module + "/" + dir)}}
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

// packages are those whose messages get other names.
var packages = []string{".google.protobuf", ".opentelemetry.proto.common.v1", ".opentelemetry.proto.resource.v1", ".opentelemetry.proto.trace.v1",
	".opentelemetry.proto.logs.v1", ".opentelemetry.proto.metrics.v1"}

// rename lets the fields of a message refer to a package by its new name.
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

// pools are the options that have a message and those in it come from pools.
func pools(dir string, m *descriptorpb.DescriptorProto, prefix string) string {
	name := prefix + m.GetName()
	s := fmt.Sprintf(",pool=%s/%s.%s", module, dir, name)
	for _, n := range m.NestedType {
		s += pools(dir, n, name+"_")
	}
	return s
}

// run has a plugin of protoc write sources.
func run(plugin, options, dir string, files []*descriptorpb.FileDescriptorProto) error {
	q := &pluginpb.CodeGeneratorRequest{ProtoFile: files, Parameter: proto.String("paths=source_relative")}
	if options != "" {
		q.Parameter = proto.String("paths=source_relative," + options)
	}
	for _, f := range files {
		q.FileToGenerate = append(q.FileToGenerate, f.GetName())
	}
	in, err := proto.Marshal(q)
	if err != nil {
		return err
	}
	c := exec.Command("go", "run", plugin)
	c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", plugin, err)
	}
	var answer pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", plugin, answer.GetError())
	}
	for _, f := range answer.File {
		if err := os.WriteFile(f.GetName(), []byte(f.GetContent()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
