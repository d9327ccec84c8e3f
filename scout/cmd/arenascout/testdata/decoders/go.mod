module example.com/decoders

go 1.26
