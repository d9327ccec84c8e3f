// Package catalog has the products of the shop, and fills a new database with orders.
package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Product is something to buy. Lower is its name in lower case, for searches.
type Product struct {
	Name, Lower string
	Price       int64 // in cents
}

// Products are all products of the shop.
var Products = func() []Product {
	g := rand.New(rand.NewPCG(1, 2))
	all := make([]Product, 20_000)
	for i := range all {
		name := fmt.Sprintf("%s %s %s No %d", pick(g, looks), pick(g, matters), pick(g, things), i)
		all[i] = Product{name, strings.ToLower(name), int64(100 + g.IntN(20_000))}
	}
	return all
}()

var (
	looks   = []string{"Red", "Blue", "Green", "Plain", "Striped", "Small", "Large", "Round", "Folding", "Antique"}
	matters = []string{"Wooden", "Steel", "Cotton", "Glass", "Leather", "Paper", "Copper", "Wool", "Stone", "Clay"}
	things  = []string{"Chair", "Lamp", "Teapot", "Blanket", "Basket", "Knife", "Mirror", "Clock", "Bowl", "Shelf"}
	people  = []string{"Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "Ken", "Margaret", "Rob"}
	names   = []string{"Byrne", "Okafor", "Jansen", "Nakamura", "Silva", "Novak", "Haddad", "Lindqvist", "Moreau",
		"Singh"}
)

func pick(g *rand.Rand, of []string) string { return of[g.IntN(len(of))] }

// Fill makes the table of orders, if it is missing, with n orders.
func Fill(ctx context.Context, db *sql.DB, schema string, n int) error {
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "select id from orders limit 1").Scan(new(int64)); err != sql.ErrNoRows {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	g := rand.New(rand.NewPCG(3, 4))
	for range n {
		var note any
		if g.IntN(3) == 0 {
			note = "please ring twice"
		}
		items, total := "", int64(0)
		for i := range 1 + g.IntN(6) {
			p, count := Products[g.IntN(len(Products))], int64(1+g.IntN(5))
			total += count * p.Price
			items += fmt.Sprintf("%s{\"product\":%q,\"count\":%d,\"price\":%d}", ","[:min(i, 1)], p.Name, count,
				p.Price)
		}
		_, err := tx.ExecContext(ctx, `insert into orders (customer, street, city, status, note, items, total)
			values ($1, $2, $3, $4, $5, $6, $7)`, pick(g, people)+" "+pick(g, names),
			fmt.Sprintf("%d Harbour Road", 1+g.IntN(300)), "Port "+pick(g, names), "paid", note, "["+items+"]", total)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// The schemas differ in generated numbers, and in the types of lists and times.
const (
	SQLite = `create table if not exists orders (id integer primary key autoincrement, customer text not null,
		street text not null, city text not null, status text not null, note text, items text not null,
		total integer not null, created timestamp not null default current_timestamp)`
	Postgres = `create table if not exists orders (id bigserial primary key, customer text not null,
		street text not null, city text not null, status text not null, note text, items jsonb not null,
		total bigint not null, created timestamptz not null default now())`
)
