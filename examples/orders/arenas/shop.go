// Package arenas is the shop on arenas: a request allocates in its arena. Package plain is the same in plain Go.
package arenas

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/harena-go/arena"
	web "github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/examples/orders/catalog"
)

type Order struct {
	ID       int64     `json:"id" db:"id"`
	Customer string    `json:"customer" db:"customer"`
	Street   string    `json:"street" db:"street"`
	City     string    `json:"city" db:"city"`
	Status   string    `json:"status" db:"status"`
	Note     *string   `json:"note" db:"note"`
	Items    []Item    `json:"items" db:"items"`
	Total    int64     `json:"total" db:"total"` // in cents
	Created  time.Time `json:"created" db:"created"`
}

type Item struct {
	Product string `json:"product"`
	Count   int64  `json:"count"`
	Price   int64  `json:"price"`
}

// A Shop answers requests for orders.
type Shop struct {
	store    Store
	last     sync.Map // the last order of each customer: string to *Order
	notified atomic.Int64
}

// A Store keeps orders.
type Store interface {
	Add(ctx context.Context, o *Order) error // sets the ID and the time
	Get(ctx context.Context, id int64) (*Order, error)
	Last(ctx context.Context, n int) ([]Order, error)
}

// errNotFound answers requests for missing orders.
var errNotFound = &web.Problem{Status: http.StatusNotFound}

// New returns the routes of a shop.
func New(store Store, pool *arena.Pool) http.Handler {
	s := &Shop{store: store}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", s.create)
	mux.HandleFunc("GET /orders", s.list)
	mux.HandleFunc("GET /orders/{id}", s.show)
	mux.HandleFunc("GET /customers/{name}/last", s.lastOf)
	mux.HandleFunc("GET /customers", s.customers)
	mux.HandleFunc("GET /products", s.search)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, s.notified.Load(), "customers notified")
	})
	return web.Handler(pool, mux)
}

func (s *Shop) create(w http.ResponseWriter, r *http.Request) {
	o, err := web.JSON[Order](r)
	if err == nil {
		err = o.check()
	}
	if err == nil {
		err = s.store.Add(r.Context(), o)
	}
	if err != nil {
		web.Error(w, r, err)
		return
	}
	s.last.Store(arena.Keep(arena.FromContext(r.Context()), o.Customer, o))
	web.Go(r, func(_ context.Context, a *arena.Arena) { s.notify(a, o) })
	web.Reply(w, r, http.StatusCreated, o)
}

// check returns the first error in a new order, or adds up the prices.
func (o *Order) check() error {
	if o.Customer == "" || len(o.Items) == 0 {
		return &web.Problem{Status: http.StatusUnprocessableEntity, Detail: "an order has a customer and items"}
	}
	o.Status, o.Total = "new", 0
	for _, i := range o.Items {
		if i.Count < 1 || i.Price < 0 {
			return &web.Problem{Status: http.StatusUnprocessableEntity, Detail: "an item has a count and a price"}
		}
		o.Total += i.Count * i.Price
	}
	return nil
}

// notify writes to the customer, after the answer. In this example it only logs the message.
func (s *Shop) notify(a *arena.Arena, o *Order) {
	b := collections.NewBuffer(a, 0)
	fmt.Fprintf(b, "Dear %s, thank you for your order %d:\n", o.Customer, o.ID)
	for _, i := range o.Items {
		fmt.Fprintf(b, "%4d %-30s %8d.%02d\n", i.Count, i.Product, i.Price/100, i.Price%100)
	}
	slog.Debug("mail", "to", o.Customer, "text", b.String())
	s.notified.Add(1)
}

func (s *Shop) list(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil {
		n = 100
	}
	orders, err := s.store.Last(r.Context(), min(max(n, 0), 1000))
	if err != nil {
		web.Error(w, r, err)
		return
	}
	web.Reply(w, r, http.StatusOK, orders)
}

func (s *Shop) show(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		web.Error(w, r, errNotFound)
		return
	}
	o, err := s.store.Get(r.Context(), id)
	if err != nil {
		web.Error(w, r, err)
		return
	}
	web.Reply(w, r, http.StatusOK, o)
}

// lastOf answers with a customer's last order, without the database.
func (s *Shop) lastOf(w http.ResponseWriter, r *http.Request) {
	o, ok := s.last.Load(r.PathValue("name"))
	if !ok {
		web.Error(w, r, errNotFound)
		return
	}
	web.Reply(w, r, http.StatusOK, o)
}

type Customer struct {
	Name   string  `json:"name"`
	Total  int64   `json:"total"`
	Orders []*Line `json:"orders"`
}

type Line struct {
	ID    int64  `json:"id"`
	Total int64  `json:"total"`
	Text  string `json:"text"`
}

// customers groups the last 1,000 orders by customer.
func (s *Shop) customers(w http.ResponseWriter, r *http.Request) {
	orders, err := s.store.Last(r.Context(), 1000)
	if err != nil {
		web.Error(w, r, err)
		return
	}
	a := arena.FromContext(r.Context())
	byName := collections.NewMap[string, *Customer](a, 0)
	var all []*Customer
	for _, o := range orders {
		c, _ := byName.Get(o.Customer)
		if c == nil {
			c = arena.NewOf(a, Customer{Name: o.Customer})
			byName.Set(o.Customer, c)
			all = arena.Append(a, all, c)
		}
		c.Total += o.Total
		text := arena.Concat(a, a.ToUpper(o.City), ", ", o.Street)
		c.Orders = arena.Append(a, c.Orders, arena.NewOf(a, Line{ID: o.ID, Total: o.Total, Text: text}))
	}
	slices.SortFunc(all, func(a, b *Customer) int { return strings.Compare(a.Name, b.Name) })
	web.Reply(w, r, http.StatusOK, all)
}

type Hit struct {
	Product string `json:"product"`
	Label   string `json:"label"`
}

// search searches all products.
func (s *Shop) search(w http.ResponseWriter, r *http.Request) {
	text := strings.ToLower(r.URL.Query().Get("q"))
	a := arena.FromContext(r.Context())
	hits := arena.MakeSlice[Hit](a, 0, 50)
	for _, p := range catalog.Products {
		if len(hits) < 50 && strings.Contains(p.Lower, text) {
			label := a.Sprintf("%s, %d.%02d", a.ToUpper(p.Name), p.Price/100, p.Price%100)
			hits = arena.Append(a, hits, Hit{p.Name, label})
		}
	}
	web.Reply(w, r, http.StatusOK, hits)
}
