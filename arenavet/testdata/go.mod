module test

go 1.26.0

require (
	connectrpc.com/connect v1.0.0
	github.com/gin-gonic/gin v1.0.0
	github.com/harena-go/arena v0.0.0
	github.com/harena-go/arena/contrib v0.0.0
	github.com/jackc/pgx/v5 v5.0.0
	github.com/labstack/echo/v5 v5.0.0
	github.com/prometheus/client_golang v1.0.0
	github.com/valyala/fasthttp v1.0.0
)

replace (
	connectrpc.com/connect => ./stubs/connect
	github.com/gin-gonic/gin => ./stubs/gin
	github.com/harena-go/arena => ../..
	github.com/harena-go/arena/contrib => ./stubs/contrib
	github.com/jackc/pgx/v5 => ./stubs/pgx
	github.com/labstack/echo/v5 => ./stubs/echo
	github.com/prometheus/client_golang => ./stubs/prometheus
	github.com/valyala/fasthttp => ./stubs/fasthttp
)
