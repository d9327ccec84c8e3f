package arenavet_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet/escape"
)

// cachesOfOthers has functions that put memory of an arena into other people's caches. Functions that begin with Bad
// have a finding, those that begin with OK have none; in those that begin with Missed the cache keeps the value by an
// option, or through functions that are called later.
const cachesOfOthers = `package caches

import (
	"strings"

	"github.com/Yiling-J/theine-go"
	"github.com/allegro/bigcache/v3"
	"github.com/bluele/gcache"
	"github.com/coocood/freecache"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/golang/groupcache/lru"
	lru2 "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jellydator/ttlcache/v3"
	"github.com/maypok86/otter/v2"
	gocache "github.com/patrickmn/go-cache"

	"github.com/harena-go/arena"
)

type service struct {
	pool    *arena.Pool
	lru     *lru2.Cache[string, *string]
	two     *lru2.TwoQueueCache[string, *string]
	simple  simplelru.LRUCache[string, *string]
	expires *expirable.LRU[string, *string]
	group   *lru.Cache
	rist    *ristretto.Cache[string, *string]
	gocache *gocache.Cache
	ttl     *ttlcache.Cache[string, *string]
	otter   *otter.Cache[string, *string]
	theine  *theine.Cache[string, *string]
	gcache  gcache.Cache
	big     *bigcache.BigCache
	free    *freecache.Cache
}

func (s *service) text(a *arena.Arena, b []byte) *string { return arena.NewOf(a, a.AllocBytesToString(b)) }

func (s *service) BadLRU(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.lru.Add("x", s.text(a, b))
}
func (s *service) BadTwoQueues(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.two.Add("x", s.text(a, b))
}
func (s *service) BadSimple(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.simple.Add("x", s.text(a, b))
}
func (s *service) BadExpirable(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.expires.Add("x", s.text(a, b))
}
func (s *service) BadGroup(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.group.Add("x", s.text(a, b))
}
func (s *service) BadRistretto(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.rist.Set("x", s.text(a, b), 1)
}
func (s *service) BadGoCache(b []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		s.gocache.Set("x", s.text(a, b), 0)
		return nil
	})
}
func (s *service) BadGoCacheKey(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.gocache.SetDefault(a.AllocBytesToString(b), 1)
}
func (s *service) BadTTL(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.ttl.Set("x", s.text(a, b), 0)
}
func (s *service) BadItem(b []byte) *ttlcache.Item[string, *string] {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return ttlcache.NewItem("x", s.text(a, b), 0, false)
}
func (s *service) MissedOtter(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.otter.Set("x", s.text(a, b))
}
func (s *service) MissedTheine(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.theine.Set("x", s.text(a, b), 1)
}
func (s *service) MissedGCache(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.gcache.Set("x", s.text(a, b))
}
func (s *service) OKClone(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	x := strings.Clone(*s.text(a, b))
	s.lru.Add(x, &x)
	s.rist.Set(x, &x, 1)
	s.gocache.Set(x, &x, 0)
	s.ttl.Set(x, &x, 0)
}
func (s *service) OKRemoved(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.lru.Add("x", s.text(a, b))
	s.gocache.Set("x", s.text(a, b), 0)
	s.gocache.Delete("x")
	s.lru.Remove("x")
}
func (s *service) OKGet(b []byte) (n int) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	key := a.AllocBytesToString(b)
	if x, ok := s.lru.Get(key); ok {
		n += len(*x)
	}
	if x, ok := s.rist.Get(key); ok {
		n += len(*x)
	}
	if x := s.ttl.Get(key); x != nil {
		n += len(*x.Value())
	}
	s.lru.Contains(key)
	s.gocache.Get(key)
	return n
}
func (s *service) OKCopied(b []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	x := arena.CopySlice(a, b)
	s.big.Set(a.AllocBytesToString(b), x)
	s.free.Set(x, x, 1)
}
func (s *service) OKLocal(b []byte) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	c, err := lru2.New[string, *string](8)
	if err != nil {
		return 0
	}
	c.Add(a.AllocBytesToString(b), s.text(a, b))
	return c.Len()
}
`

// TestCachesOfOthers: values in caches unrelated to arenas, whose source is analyzed.
func TestCachesOfOthers(t *testing.T) {
	if os.Getenv("HARENA_LONG") == "" {
		t.Skip("compiles ten caches; HARENA_LONG=1 runs it")
	}
	dir, err := filepath.Abs("../conformance")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir,
		Env:     append(os.Environ(), "GOWORK=off"),
		Overlay: map[string][]byte{filepath.Join(dir, "caches", "caches.go"): []byte(cachesOfOthers)}}, "./caches")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatal("can't load the caches:", err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{escape.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, action := range graph.Roots {
		if action.Err != nil {
			t.Fatal(action.Err)
		}
		pass := &analysis.Pass{Files: loaded[0].Syntax}
		for _, d := range action.Diagnostics {
			found[function(pass, d)] += d.Message + "; "
		}
	}
	for _, decl := range loaded[0].Syntax[0].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if name := fn.Name.Name; strings.HasPrefix(name, "Bad") != (found[name] != "") {
			t.Errorf("%s: %q", name, found[name])
		}
	}
}
