module connectrpc.com/connect

go 1.26.0
