package arenaotel

import (
	"cmp"

	"github.com/harena-go/arena/arenametrics"
	"go.opentelemetry.io/otel/attribute"
)

// This file holds names, units and attributes. They are like those of OpenTelemetry's conventions
// for pools of database connections (db.client.connection.*) and for Go's memory (go.memory.*). It
// must not depend on how numbers are exported.

// scope is the name of the instrumentation.
const scope = "github.com/harena-go/arena/contrib/arenaotel"

// Attributes of all instruments. The key may be missing, and only arena.pool.lease.count has a
// state.
const (
	poolKey  = attribute.Key("arena.pool.name")
	keyKey   = attribute.Key("arena.pool.key")
	stateKey = attribute.Key("arena.pool.lease.state")
)

// names has the names that aren't arena.pool. and the metric's name.
var names = map[string]string{
	"leases":       "arena.pool.lease.count",
	"oldest_lease": "arena.pool.lease.max_age",
	"request":      "arena.pool.request.size",
	"escapes":      "arena.escapes",
	"taken":        "arena.pool.taken",
}

// things are the units of counts that aren't leases, bytes or seconds.
var things = map[string]string{
	"limit_hits": "{allocation}",
	"growths":    "{chunk}",
	"escapes":    "{reference}",
}

// nameOf returns the name of a metric's instrument.
func nameOf(m arenametrics.Metric) string {
	switch name := names[m.Name]; {
	case name != "":
		return name
	case m.Unit == "bytes":
		return "arena.pool.memory." + m.Name
	}
	return "arena.pool." + m.Name
}

// unitOf returns the unit of a metric's instrument.
func unitOf(m arenametrics.Metric) string {
	switch m.Unit {
	case "bytes":
		return "By"
	case "seconds":
		return "s"
	}
	return cmp.Or(things[m.Name], "{lease}")
}

// attributesOf returns the attributes that distinguish the numbers of an instrument.
func attributesOf(m arenametrics.Metric) attribute.Set {
	all := []attribute.KeyValue{poolKey.String(m.Pool)}
	if m.Key != "" {
		all = append(all, keyKey.String(m.Key))
	}
	if m.State != "" {
		all = append(all, stateKey.String(m.State))
	}
	return attribute.NewSet(all...)
}
