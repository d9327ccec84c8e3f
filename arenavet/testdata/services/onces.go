package services

import (
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// Functions that are called once, by way of a field that another function fills once.

type policies struct {
	pool *arena.Pool
	once sync.Once
	load func() *item
	text func() string
	err  func() error
}

func (p *policies) first(a *arena.Arena) *item {
	p.once.Do(func() {
		p.load = sync.OnceValue(func() *item { return arena.New[item](a) })
	})
	return p.load()
}
func (p *policies) BadOncePolicy() (n int) {
	p.pool.Do(func(a *arena.Arena) error {
		n = p.first(a).n
		return nil
	})
	return n
}
func (p *policies) BadOncePolicyPut() int {
	a := p.pool.Get()
	defer p.pool.Put(a)
	return p.first(a).n
}
func (p *policies) copied(a *arena.Arena, name string) string {
	p.once.Do(func() {
		text := strings.Clone(a.Sprintf("%s!", name))
		p.text = sync.OnceValue(func() string { return text })
	})
	return p.text()
}
func (p *policies) OKOncePolicy(name string) (n int) {
	p.pool.Do(func(a *arena.Arena) error {
		n = len(p.copied(a, name))
		load := sync.OnceValue(func() *item { return arena.New[item](a) })
		n += load().n + load().n
		return nil
	})
	return n
}
