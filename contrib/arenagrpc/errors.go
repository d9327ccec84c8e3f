package arenagrpc

import (
	"strings"

	"github.com/harena-go/arena"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// This file copies errors, which gRPC reads after the arena's end.

// settle returns gRPC's status for a handler's error, on the heap. gRPC itself would get it from the error after the
// arena's end. settle returns nil if the code is OK, for which gRPC answers without a message.
func settle(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		s = status.FromContextError(err)
	}
	p := s.Proto() // shares the strings
	p.Message = strings.Clone(p.Message)
	for _, d := range p.Details {
		d.TypeUrl = strings.Clone(d.TypeUrl)
	}
	return status.FromProto(p).Err()
}

// timedOut reports whether interceptors return this error when they stop waiting. One of them may still be at work
// then, though the handler has returned.
func timedOut(err error) bool {
	code := status.Code(err)
	if code == codes.Unknown {
		code = status.FromContextError(err).Code()
	}
	return code == codes.DeadlineExceeded || code == codes.Canceled
}

// A limitError is a *arena.LimitError with a code for gRPC.
type limitError struct{ limit *arena.LimitError }

func (e *limitError) Error() string { return e.limit.Error() }
func (e *limitError) Unwrap() error { return e.limit }

// GRPCStatus returns the error as the other side sees it.
func (e *limitError) GRPCStatus() *status.Status {
	return status.New(codes.ResourceExhausted, e.limit.Error())
}
