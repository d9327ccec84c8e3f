module github.com/harena-go/arena/arenajson/internal/conformance

go 1.26.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/harena-go/arena v0.0.0
)

replace github.com/harena-go/arena => ../../..
