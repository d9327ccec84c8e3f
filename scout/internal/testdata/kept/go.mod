module example.com/kept

go 1.26
