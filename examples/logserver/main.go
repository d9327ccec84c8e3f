// Logserver collects log records by HTTP. Each request is read, parsed and answered in an arena of its own, which a
// pool lends and reclaims.
//
//	go run ./examples/logserver [-addr host:port] [-body bytes] [-budget bytes] [-memory bytes]
//
// Records are sent as JSON lines or in logfmt; the answer counts them. A malformed line is answered with 400 and its
// number, a request above its budget with 413, and one for which the others have left no memory with 503. Try it:
//
//	curl localhost:8080/logs --data-binary $'level=info service=web msg="hello" took=5ms\nlevel=error service=db'
//	curl localhost:8080/logs --data-binary '{"level":"warn","service":"web","msg":"slow","took":"2s","user":{"id":7}}'
//	curl localhost:8080/logs --data-binary 'level=loud service=web'
//	yes 'level=info service=web' | head -c 1000000 | curl localhost:8080/logs --data-binary @-
//	curl localhost:8080/stats
//	curl localhost:8080/debug/arena?format=text
//
// Ctrl-C ends it, after the answers to the requests that it has begun.
package main

import "github.com/harena-go/arena/examples/logserver/server"

func main() { server.Main() }
