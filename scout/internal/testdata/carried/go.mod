module example.com/carried/v2

go 1.26
