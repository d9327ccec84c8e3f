module test

go 1.26.0

require github.com/harena-go/arena v0.0.0

replace github.com/harena-go/arena => ../..
