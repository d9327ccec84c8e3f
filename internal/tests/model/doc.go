// Package model compares arenas with a plain model of them, byte for byte: in random
// programs, in all short ones, and in those that fuzzing finds. It has only tests.
//
//	world_test.go       arenas and their shadows, and their comparison
//	shape_test.go       values of all sizes, with and without pointers
//	operations_*.go     functions and methods, which are used in turn
//	model_*_test.go     operations on an arena, and random programs of them
//	enumerate_test.go   all short programs, letter by letter
//	pool_*, shared_*    the same for arenas of a Pool and locals of a Shared
//	fuzz_*, read_test.go  fuzz targets
package model
