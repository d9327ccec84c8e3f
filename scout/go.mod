// Versioned with the root: it reads heap dumps by the root's internal/diagnose/holder, so both must have one version.
module github.com/harena-go/arena/scout

go 1.26.0

require (
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50
	github.com/harena-go/arena v0.0.0
	golang.org/x/tools v0.52.0
)

require github.com/aymanbagabas/go-udiff v0.4.1

replace github.com/harena-go/arena => ../
