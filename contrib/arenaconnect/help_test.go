package arenaconnect_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
	"google.golang.org/protobuf/types/known/structpb"
)

type (
	list    = structpb.ListValue
	request = connect.Request[list]
	reply   = connect.Response[list]
)

// listOf makes a message of texts.
func listOf(texts ...string) *list {
	l := &list{}
	for _, s := range texts {
		l.Values = append(l.Values, structpb.NewStringValue(s))
	}
	return l
}

// texts are those in a message.
func texts(l *list) string {
	var all []string
	for _, v := range l.GetValues() {
		all = append(all, v.GetStringValue())
	}
	return strings.Join(all, " ")
}

// long is a text that no two requests share.
func long(i int) string { return strings.Repeat(string(rune('a'+i%26)), 20+i%300) }

// serve starts a server on the loopback interface, with HTTP/2, and returns its address and a client of it. stop ends
// both and waits for handlers; it may be called twice.
func serve(tb testing.TB, handlers ...*connect.Handler) (address string, client *http.Client, stop func()) {
	tb.Helper()
	mux := http.NewServeMux()
	for i, h := range handlers {
		mux.Handle(procedures[i], h)
	}
	s := httptest.NewUnstartedServer(arenaconnect.Middleware(mux))
	s.Config.ErrorLog = quiet
	s.EnableHTTP2 = true
	s.StartTLS()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			s.Close()
		}
	}
	tb.Cleanup(stop)
	return s.URL, s.Client(), stop
}

// procedures are the names of handlers.
var procedures = []string{"/test.Lists/First", "/test.Lists/Second", "/test.Lists/Third"}

// protocols are the clients' options for each.
var protocols = map[string][]connect.ClientOption{
	"connect": nil, "grpc": {connect.WithGRPC()}, "grpcweb": {connect.WithGRPCWeb()}, "gzip": {connect.WithSendGzip()}, "json": {connect.WithProtoJSON()},
	"grpc-gzip": {connect.WithGRPC(), connect.WithSendGzip()},
}

// dial returns a client of a procedure.
func dial(c *http.Client, address string, procedure int, opts ...connect.ClientOption) *connect.Client[list, list] {
	return connect.NewClient[list, list](c, address+procedures[procedure], opts...)
}

// allBack fails if an arena isn't back, once all handlers have ended.
var allBack = tenants.AllBack

// bare serves a handler unchanged.
func bare(tb testing.TB, h http.Handler) (address string, client *http.Client) {
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.URL, s.Client()
}
