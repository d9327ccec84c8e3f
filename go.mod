module github.com/harena-go/arena

go 1.26
