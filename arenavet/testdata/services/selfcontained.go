// This file has self-contained arenas, and what puts memory of the heap into them.

package services

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

type node struct {
	name  string
	loc   *time.Location
	v     any
	m     *sync.Map
	sm    sync.Map
	parts []string
	u     *url.URL
	host  string
	when  time.Time
	sb    strings.Builder
	next  *node
	kids  []*node
	mp    map[string]int
	f     func()
	err   error
	n     int
	raw   []byte
	ch    chan int
}

func ns() *arena.Arena { return arena.NewArena(arena.WithNoScan()) }

func BadNSAny(x int) *node {
	a := ns()
	n := arena.New[node](a)
	n.v = x
	return n
}
func BadNSAnyStr(x []byte) *node {
	a := ns()
	n := arena.New[node](a)
	n.v = string(x)
	return n
}
func BadNSSyncMap2(x int) *node {
	a := ns()
	n := arena.New[node](a)
	n.m = &sync.Map{}
	return n
}
func BadNSSplit(text []byte) *node {
	a := ns()
	n := arena.New[node](a)
	n.parts = strings.Split(a.AllocBytesToString(text), ",")
	return n
}
func BadNSFields(text string) *node {
	a := ns()
	n := arena.New[node](a)
	n.parts = strings.Fields(text)
	return n
}
func BadNSBuilder2(data []byte) *node {
	a := ns()
	var sb strings.Builder
	sb.Write(data)
	n := arena.New[node](a)
	n.name = sb.String()
	return n
}
func BadNSAppend(data []string) *node {
	a := ns()
	n := arena.New[node](a)
	for range data {
		n.kids = append(n.kids, arena.New[node](a))
	}
	return n
}
func BadNSAppendBytes(data []byte) *node {
	a := ns()
	n := arena.New[node](a)
	n.raw = append(n.raw, data...)
	return n
}
func OKNSAppendArena(data []string) *node {
	a := ns()
	n := arena.New[node](a)
	for range data {
		n.kids = arena.Append(a, n.kids, arena.New[node](a))
	}
	return n
}
func BadNSMap() *node {
	a := ns()
	n := arena.New[node](a)
	n.mp = map[string]int{}
	return n
}
func BadNSClosure(x int) *node {
	a := ns()
	n := arena.New[node](a)
	n.f = func() { fmt.Println(x) }
	return n
}
func BadNSErr(x int) *node {
	a := ns()
	n := arena.New[node](a)
	n.err = fmt.Errorf("x %d", x)
	return n
}
func BadNSChan() *node {
	a := ns()
	n := arena.New[node](a)
	n.ch = make(chan int)
	return n
}
func BadNSItoa(x int) *node {
	a := ns()
	n := arena.New[node](a)
	n.name = strconv.Itoa(x)
	return n
}
func BadNSChild(b []byte) *node {
	a := ns()
	c := a.Child()
	n := arena.New[node](a)
	n.next = arena.New[node](c)
	c.Reset()
	return n
}
func BadNSOther(b []byte) *node {
	a := ns()
	c := arena.NewArena()
	n := arena.New[node](a)
	n.next = arena.New[node](c)
	return n
}
func BadNSReflect(b []byte) *node {
	a := ns()
	n := arena.New[node](a)
	reflect.ValueOf(n).Elem().Field(0).SetString(string(b))
	return n
}
func BadNSNewOf(b []byte) *node {
	a := ns()
	return arena.NewOf(a, node{name: string(b)})
}
func BadNSFresh(b []byte) *node {
	a := ns()
	n := arena.New[node](a)
	n.next = newNode(string(b))
	return n
}
func newNode(s string) *node {
	n := &node{}
	n.name = s
	return n
}
func BadNSFreshName(b []byte) *node {
	a := ns()
	n := arena.New[node](a)
	n.name = clean(b)
	return n
}
func clean(b []byte) string {
	s := strings.TrimSpace(string(b))
	if s == "" {
		return "none"
	}
	return strings.ToLower(s)
}
func OKNSConst() *node {
	a := ns()
	n := arena.New[node](a)
	n.name = "const"
	n.loc = time.UTC
	n.v = 5
	n.name = a.AllocString("x")
	n.parts = arena.MakeSlice[string](a, 0, 3)
	n.when = time.Now()
	return n
}
func OKNSKeep(s string) *node {
	a := ns()
	n := arena.New[node](a)
	m := map[string]int{}
	a.KeepAlive(m)
	n.mp = m
	return n
}
func OKNSKeepLoc(s string) *node {
	a := ns()
	n := arena.New[node](a)
	l, _ := time.LoadLocation(s)
	a.KeepAlive(l)
	n.loc = l
	return n
}
func OKNSLocal(s string) *node {
	a := ns()
	n := arena.New[node](a)
	var u struct{ n int }
	json.Unmarshal([]byte(s), &u)
	n.n = u.n
	fmt.Sscan(s, &n.n)
	return n
}
func OKScanDefault(s string) *node {
	a := arena.NewArena()
	n := arena.New[node](a)
	n.sm.Store("x", 1)
	fmt.Sscan(s, &n.name)
	n.kids = arena.Append(a, n.kids, newNode(s))
	return n
}
