// Package attack uses packages arena and collections as no program would: all of their exported calls in any order, on
// a world of arenas, children, pools, Shareds and collections. Panics are recovered, and the world is used further. A
// model knows the contents of each value, the arena that owns it, and the bytes used and charged.
//
//	world_test.go     the world, and its comparison with the model
//	piece_test.go     the contents of values, for types of all sorts
//	ops_*_test.go     the alphabet: a table of operations, each with the exported
//	                  names that it calls
//	program_test.go   programs, which are lists of operations, and how one that
//	                  fails is made shorter
//	attack_test.go    TestAttack and FuzzAttack
//	exported_test.go  finds all exported names, and those that no operation calls
//	extreme_test.go   calls all of them with absurd numbers
//	actions_test.go   derives all actions that can be done any number of times
//	matrix_test.go    TestMatrix: options of Pools, forms of allocation, ends of lives
//	profile_test.go   TestProfileSums: what observed arenas count, for each form
//	depth_test.go     TestDepth: the cost of one more, and of a call on a large value
//	lives_test.go     TestLives...: remains of a huge life, and those that add up in many
//	bubbles_test.go   all of it in bubbles of synctest, and across their borders
//	reverts_test.go   reverts fixes one at a time: each must be missed
//
// HARENA_ATTACK=100000000 go test -run TestAttack -timeout 0 runs that many operations. A
// failure prints a program, which HARENA_ATTACK_REPLAY=file runs. HARENA_LONG=1 tests
// depth and lives with larger values and all kinds of arenas.
package attack
