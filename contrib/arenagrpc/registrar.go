package arenagrpc

import (
	"context"
	"slices"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// This file replaces a service's handlers by wrappers.

// Registrar returns a registrar of services whose requests are decoded into arenas, for the functions that
// protoc-gen-go-grpc generates:
//
//	pb.RegisterOrdersServer(arenagrpc.Registrar(s), orders)
//
// Services that are registered with s itself have no arenas, nor do those of a server made without [ServerOptions].
func Registrar(s grpc.ServiceRegistrar) grpc.ServiceRegistrar {
	return &registrar{below: s}
}

type registrar struct {
	below  grpc.ServiceRegistrar
	server atomic.Pointer[server] // of the RPCs' codec; nil until the first
}

// RegisterService registers a service with other handlers.
func (r *registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	d := *desc
	d.Methods, d.Streams = slices.Clone(d.Methods), slices.Clone(d.Streams)
	for i := range d.Methods {
		m := &d.Methods[i]
		m.Handler = r.unary(fullName(&d, m.MethodName), m.Handler)
	}
	for i := range d.Streams {
		m := &d.Streams[i]
		m.Handler = r.stream(fullName(&d, m.StreamName), m.ClientStreams, m.Handler)
	}
	r.below.RegisterService(&d, impl)
}

func fullName(d *grpc.ServiceDesc, method string) string {
	return "/" + d.ServiceName + "/" + method
}

// unary returns a function that calls the handler of a unary method.
func (r *registrar) unary(method string, h grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, dec func(any) error, i grpc.UnaryServerInterceptor) (any, error) {
		s := r.serverOf(ctx)
		if !s.serves(method) {
			return h(srv, ctx, dec, i)
		}
		c := s.newCall(ctx, method)
		c.dec = dec
		return c.unary(h, srv, i)
	}
}

// unary calls the handler of a unary method, interceptors included.
func (c *call) unary(h grpc.MethodHandler, srv any, i grpc.UnaryServerInterceptor) (reply any, err error) {
	defer c.handled(&err)
	c.tag()
	reply, err = h(srv, c, c.decode, c.watch(i))
	if err != nil {
		if settled := settle(err); settled != nil {
			err = c.toHeap(settled)
		}
	}
	if c.late {
		return reply, err
	}
	m, ok := reply.(proto.Message)
	if err != nil || !ok {
		c.release(err)
		return reply, err
	}
	c.reply = m
	return (*outgoing)(c), nil
}

// watch returns the interceptor, if there is one, wrapped to record when the handler runs: other interceptors may
// return before the handler does.
func (c *call) watch(i grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	if i == nil {
		return nil
	}
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		c.around = true
		return i(ctx, req, info, func(ctx context.Context, req any) (reply any, err error) {
			err = c.run(func() error {
				reply, err = h(ctx, req)
				return err
			})
			return reply, err
		})
	}
}

// decode is called by generated code for the request.
func (c *call) decode(v any) error { return c.receive(v, c.dec) }

// A question is passed to the codec as a message, and returns the codec's server. gRPC has no other way from an RPC to
// the options of its server.
type question struct{ server *server }

// asker is the stream for which a question is encoded.
type asker struct{ ctx context.Context }

func (a asker) Context() context.Context { return a.ctx }
func (a asker) SendMsg(any) error        { return errAsked }
func (a asker) RecvMsg(any) error        { return errAsked }

// serverOf returns the server of an RPC's codec. It queries the codec once.
func (r *registrar) serverOf(ctx context.Context) *server {
	s := r.server.Load()
	if s == nil {
		var q question
		_ = new(grpc.PreparedMsg).Encode(asker{ctx}, &q)
		if s = q.server; s == nil {
			s = &server{} // serves nothing
		}
		r.server.Store(s)
	}
	return s
}
