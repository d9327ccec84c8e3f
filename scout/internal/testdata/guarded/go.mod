module example.com/guarded/v2

go 1.26
