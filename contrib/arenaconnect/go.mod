module github.com/harena-go/arena/contrib/arenaconnect

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/harena-go/arena v0.0.0
	github.com/harena-go/arena/contrib/arenaproto v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/harena-go/arena => ../..

replace github.com/harena-go/arena/contrib/arenaproto => ../arenaproto
