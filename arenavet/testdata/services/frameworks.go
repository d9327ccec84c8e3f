package services

import (
	"context"
	"maps"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v5"
	"github.com/valyala/fasthttp"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"github.com/harena-go/arena/contrib/arenapgx"
	"github.com/harena-go/arena/contrib/arenaproto"
)

// Handlers of frameworks and of RPCs, and rows of databases.

type postbox struct {
	text string
	msg  *letter
	all  []string
	jobs chan string
	byID map[string]*sku
}

type letter struct {
	Text  string
	Parts []*letter
	Extra map[string]string
}

func (m *letter) ProtoReflect()    {}
func (m *letter) GetText() string  { return m.Text }
func (m *letter) GetPart() *letter { return m.Parts[0] }

func (p *postbox) BadGin(c *gin.Context) {
	if v, err := arenahttp.JSON[sku](c.Request); err == nil {
		p.text = v.SKU
	}
}
func (p *postbox) BadEcho(c *echo.Context) error {
	a := arena.FromContext(c.Request().Context())
	p.all = append(p.all, a.Sprintf("%d", len(p.all)))
	return nil
}
func (p *postbox) BadFast(ctx *fasthttp.RequestCtx) {
	p.text = arena.FromContext(ctx).AllocBytesToString(ctx.PostBody())
}
func (p *postbox) BadRPCText(ctx context.Context, m *letter) (*letter, error) {
	p.text = m.GetText()
	return m, nil
}
func (p *postbox) BadRPCMessage(ctx context.Context, m *letter) (*letter, error) {
	p.msg = m
	return m, nil
}
func (p *postbox) BadRPCPart(ctx context.Context, m *letter) (*letter, error) {
	p.msg = m.Parts[0].GetPart()
	return m, nil
}
func (p *postbox) BadRPCGo(ctx context.Context, m *letter) (*letter, error) {
	go func() { p.jobs <- m.Parts[0].Text }()
	return m, nil
}
func (p *postbox) BadRPCKeys(ctx context.Context, m *letter) (*letter, error) {
	p.all = slices.Collect(maps.Keys(m.Extra))
	return m, nil
}
func (p *postbox) BadConnect(ctx context.Context, r *connect.Request[letter]) (*connect.Response[letter], error) {
	p.text = r.Msg.Text
	return &connect.Response[letter]{Msg: r.Msg}, nil
}
func (p *postbox) BadRows(pool *arena.Pool, rows any) {
	a := pool.Get()
	defer pool.Put(a)
	all, _ := arenapgx.Collect[sku](a, rows)
	for i := range all {
		p.byID[strings.Clone(all[i].SKU)] = &all[i]
	}
}
func (p *postbox) BadRow(pool *arena.Pool, rows any) {
	a := pool.Get()
	defer pool.Put(a)
	one, _ := arenapgx.CollectOne[string](a, rows)
	p.text = one
}
func (p *postbox) BadEach(pool *arena.Pool, rows any) {
	a := pool.Get()
	defer pool.Put(a)
	for v, err := range arenapgx.Each[sku](a, rows) {
		if err == nil {
			p.all = append(p.all, v.SKU)
		}
	}
}

func OKGinSet(c *gin.Context) {
	c.Set("user", arena.FromContext(c.Request.Context()).AllocString("ada"))
}
func (p *postbox) OKGinCloned(c *gin.Context) {
	if v, err := arenahttp.JSON[sku](c.Request); err == nil {
		p.text = strings.Clone(v.SKU)
	}
}
func (p *postbox) OKRPC(ctx context.Context, m *letter) (*letter, error) {
	p.text = strings.Clone(m.GetText())
	return &letter{Text: m.Text, Parts: m.Parts}, nil
}
func (p *postbox) OKRPCCloned(ctx context.Context, m *letter) (*letter, error) {
	p.msg = arenaproto.Clone(m.Parts[0])
	return m, nil
}
func (p *postbox) OKRPCKept(ctx context.Context, m *letter) (*letter, error) {
	arenagrpc.Keep(ctx)
	p.msg = m
	return m, nil
}
func (p *postbox) OKNoRPC(ctx context.Context, m *sku) (*sku, error) {
	p.text = m.SKU
	return m, nil
}
func (p *postbox) OKRows(pool *arena.Pool, rows any) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for v, err := range arenapgx.Each[sku](a, rows) {
		if err == nil {
			p.all = append(p.all, strings.Clone(v.SKU))
			n += len(v.SKU)
		}
	}
	numbers, _ := arenapgx.Collect[int](a, rows)
	for _, x := range numbers {
		n += x
	}
	return n
}
