package scout

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// typesOf returns the types that a package declares.
func typesOf(t *testing.T, text string) *types.Scope {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := (&types.Config{Importer: importer.Default()}).Check("p", files, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope()
}

// TestMessages: only parts of messages count that die with the unit, that no decoder makes, and that the line makes for
// sure; and only many.
func TestMessages(t *testing.T) {
	scope := typesOf(t, `package p
		type Message struct{ V isV }
		func (*Message) ProtoReflect() int { return 0 }
		type isV interface{ isV() }
		type Wrapper struct{ V string `+"`protobuf:\"bytes,1,opt,name=v,oneof\"`"+` }
		type Pod struct{ Name string `+"`protobuf:\"bytes,1,opt,name=name\"`"+` }
		type List []*Message
		type Plain struct{ V string }`)
	of := func(name string) source.Expr { return source.Expr{Type: scope.Lookup(name).Type()} }
	boxed := of("Message")
	boxed.As = types.NewInterfaceType(nil, nil)
	calls := func(names ...string) (all []probe.Frame) {
		for _, name := range names {
			all = append(all, probe.Frame{Function: name, File: "/p/m.pb.go"})
		}
		return all
	}
	const units = 10
	for name, c := range map[string]struct {
		verdict verdict.Verdict
		exprs   []source.Expr
		path    string
		objects int64
		stack   []probe.Frame
		want    Messages
	}{
		"messages":      {verdict.Move, []source.Expr{of("Message")}, "p.build", 400, nil, Messages{40, false}},
		"wrappers":      {verdict.Move, []source.Expr{of("Wrapper")}, "p.build", 400, nil, Messages{40, false}},
		"lists":         {verdict.Move, []source.Expr{of("List")}, "p.build", 400, nil, Messages{40, false}},
		"two kinds":     {verdict.Move, []source.Expr{of("Wrapper"), of("Message")}, "p.build", 400, nil, Messages{40, false}},
		"marshalled":    {verdict.Move, []source.Expr{of("Message")}, "p.build", 400, calls("google.golang.org/protobuf/proto.Marshal", "p.F"), Messages{40, true}},
		"generated":     {verdict.Move, []source.Expr{of("Message")}, "p.build", 400, calls("p.(*Message).MarshalVT", "p.F"), Messages{40, true}},
		"sent":          {verdict.Move, []source.Expr{of("Message")}, "p.build", 400, calls("google.golang.org/grpc.(*clientStream).SendMsg"), Messages{40, true}},
		"received":      {verdict.Move, []source.Expr{of("Message")}, "p.build", 400, calls("google.golang.org/grpc.(*clientStream).RecvMsg", "p.F"), Messages{40, false}},
		"few":           {verdict.Move, []source.Expr{of("Message")}, "p.build", 190, nil, Messages{}},
		"kept":          {verdict.Keep, []source.Expr{of("Message")}, "p.build", 400, nil, Messages{}},
		"decoded":       {verdict.Move, []source.Expr{of("Message")}, "p.(*Message).UnmarshalVT", 400, nil, Messages{}},
		"of Kubernetes": {verdict.Move, []source.Expr{of("Pod")}, "p.build", 400, nil, Messages{}},
		"plain":         {verdict.Move, []source.Expr{of("Plain")}, "p.build", 400, nil, Messages{}},
		"perhaps":       {verdict.Move, []source.Expr{of("Message"), of("Plain")}, "p.build", 400, nil, Messages{}},
		"boxed":         {verdict.Move, []source.Expr{boxed}, "p.build", 400, nil, Messages{}},
		"unknown":       {verdict.Move, nil, "p.build", 400, nil, Messages{}},
	} {
		site := sites.Site{Path: calls(c.path, "p.Unit"), Objects: c.objects}
		findings := []verdict.Finding{{Verdict: c.verdict, Exprs: c.exprs, Sites: []sites.Site{site}}}
		all := []probe.Site{{Stack: c.stack, Objects: units}, {Stack: calls("p.Unit"), Objects: 1000}}
		if got := messagesOf(findings, all, units); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
