package code

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file recognizes, by their parameters, functions that handle one request, whose arena ends with them.

// contexts are the parameter types of handlers with a single parameter, by framework.
var contexts = [][2]string{
	{"github.com/valyala/fasthttp", "RequestCtx"},
	{"github.com/gin-gonic/gin", "Context"},
	{"github.com/labstack/echo/v4", "Context"},
	{"github.com/labstack/echo/v5", "Context"},
}

// RequestParams returns how many of a function's last parameters are a request, 0 if it isn't a handler of net/http, a
// framework, or RPCs.
func RequestParams(fn *ssa.Function) int {
	params := fn.Signature.Params()
	n := params.Len()
	if n == 0 {
		return 0
	}
	last := params.At(n - 1).Type()
	if slices.ContainsFunc(contexts, func(c [2]string) bool { return shape.IsNamed(last, c[0], c[1]) }) {
		return 1
	}
	if n >= 2 && shape.IsNamed(params.At(n-2).Type(), "net/http", "ResponseWriter") &&
		shape.IsNamed(last, "net/http", "Request") || isRPC(fn.Signature) {
		return 2
	}
	return 0
}

// isRPC reports whether a function has the parameters and results of an RPC's handler: a context and a message, of
// protobuf itself or in a Request of package connect, and a reply and an error.
func isRPC(sig *types.Signature) bool {
	params, n := sig.Params(), sig.Params().Len()
	if n != 2 || sig.Results().Len() != 2 || !shape.IsError(sig.Results().At(1).Type()) ||
		!shape.IsNamed(params.At(0).Type(), "context", "Context") {
		return false
	}
	m := params.At(1).Type()
	if shape.IsNamed(m, "connectrpc.com/connect", "Request") {
		return true
	}
	_, pointer := m.Underlying().(*types.Pointer)
	method, _, _ := types.LookupFieldOrMethod(m, false, nil, "ProtoReflect")
	return pointer && method != nil
}

// calls reports whether a function contains a call that is accepts.
func calls(fn *ssa.Function, is func(c *ssa.CallCommon) bool) bool {
	for i := range api.Instrs(fn) {
		if c, ok := i.(ssa.CallInstruction); ok && is(c.Common()) {
			return true
		}
	}
	return false
}

// KeepsRequest reports whether an RPC's handler calls Keep, which leaves the arena to the collector.
func KeepsRequest(fn *ssa.Function) bool {
	return isRPC(fn.Signature) && calls(fn, func(c *ssa.CallCommon) bool {
		name := CalleeName(c)
		return strings.HasPrefix(name, api.Path+"/contrib/") && strings.HasSuffix(name, ".Keep")
	})
}

// DecodesRequest reports whether the message of an RPC's handler is in the arena of its context: the function fetches
// that arena, or the package imports a decoder that uses it.
func DecodesRequest(fn *ssa.Function) bool {
	if !isRPC(fn.Signature) || fn.Pkg == nil {
		return false
	}
	for _, p := range fn.Pkg.Pkg.Imports() {
		switch strings.TrimPrefix(p.Path(), api.Path+"/contrib/") {
		case "arenagrpc", "arenaconnect":
			return true
		}
	}
	ctx := ssa.Value(fn.Params[len(fn.Params)-2])
	return calls(fn, func(c *ssa.CallCommon) bool {
		k := api.Callee(c)
		return k != nil && k.Verb == api.FromContext && c.Args[0] == ctx
	})
}
