module github.com/harena-go/arena/contrib/arenastatsviz

go 1.26.0

require (
	github.com/arl/statsviz v0.8.2
	github.com/gorilla/websocket v1.5.3
	github.com/harena-go/arena v0.0.0
)

replace github.com/harena-go/arena => ../..
