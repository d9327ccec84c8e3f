// Package conformance holds tests and benchmarks of arenaproto that need other modules: the official runtime's
// own tests, and the types of OpenTelemetry.
package conformance
