// Generate generates the messages that arenaproto is tested with from the .proto files in the directory above. It
// runs the protoc found in PATH with the protoc-gen-go of the module in go.mod, then removes the accessors: neither
// the tests nor the runtimes call them.
package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:generate go run .

func main() {
	log.SetFlags(0)
	plugin := filepath.Join(os.TempDir(), "arenaproto-protoc-gen-go")
	defer os.Remove(plugin)
	run("go", "build", "-o", plugin, "google.golang.org/protobuf/cmd/protoc-gen-go")
	features := run("go", "list", "-m", "-f", "{{.Dir}}/src", "google.golang.org/protobuf")
	for _, name := range []string{"two", "three", "opaque"} {
		run("protoc", "-I..", "-I"+features, "--plugin=protoc-gen-go="+plugin,
			"--go_out=../"+name, "--go_opt=paths=source_relative", name+".proto")
		file := filepath.Join("..", name, name+".pb.go")
		text, err := os.ReadFile(file)
		if err == nil {
			text, err = strip(text)
		}
		if err == nil {
			err = os.WriteFile(file, text, 0o666)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// run runs a command and returns its output.
func run(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// accessor matches the names of removed declarations: the accessors, and the types and constants that only they use.
var accessor = regexp.MustCompile(`^(Get|Set|Has|Clear|Which)[A-Z]|^Build$` +
	`|_builder$|_case$|^case_|^Default_|_rawDesc(GZIP|Once|Data)$`)

// strip returns a generated file without accessors.
func strip(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var out []byte
	from := 0
	for _, d := range f.Decls {
		if n, doc := declared(d); accessor.MatchString(n) || strings.HasPrefix(doc.Text(), "Deprecated") {
			start := d.Pos()
			if doc != nil {
				start = doc.Pos()
			}
			out = append(out, text[from:fset.Position(start).Offset]...)
			from = fset.Position(d.End()).Offset
		}
	}
	out = append(out, text[from:]...)
	if !bytes.Contains(out, []byte("sync.")) {
		out = bytes.Replace(out, []byte("\tsync \"sync\"\n"), nil, 1)
	}
	return format.Source(bytes.Replace(out, []byte("\n// source:"), []byte("\n// accessors dropped\n// source:"), 1))
}

// declared returns the name of a declaration, that of the receiver's type if that is dropped, and its comment.
func declared(d ast.Decl) (name string, doc *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			if t, ok := d.Recv.List[0].Type.(*ast.Ident); ok && accessor.MatchString(t.Name) {
				return t.Name, d.Doc
			}
		}
		return d.Name.Name, d.Doc
	case *ast.GenDecl:
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return s.Name.Name, d.Doc
		case *ast.ValueSpec:
			return s.Names[0].Name, d.Doc
		}
	}
	return "", nil
}
