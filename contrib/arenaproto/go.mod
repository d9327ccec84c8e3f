module github.com/harena-go/arena/contrib/arenaproto

go 1.26.0

require (
	github.com/harena-go/arena v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/harena-go/arena => ../..
