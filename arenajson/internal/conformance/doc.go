// Package conformance holds tests of arenajson that need what isn't part of Go's standard
// library: JSONTestSuite, and encoding/json/v2 as a module of its own, to compare with on any
// toolchain.
package conformance
