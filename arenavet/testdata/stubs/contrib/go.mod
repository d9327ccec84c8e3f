module github.com/harena-go/arena/contrib

go 1.26.0

require github.com/harena-go/arena v0.0.0
