module example.com/contact

go 1.26
