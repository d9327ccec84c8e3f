// Package orders is a service as there are many: it reads an order, works out what to do, answers, and remembers a
// little of it.
package orders

import (
	"fmt"
	"strings"
)

// Service handles orders.
type Service struct {
	seen  map[string]int
	names []string
	audit []*Event
	last  *Order
}

// Event is what the audit has of an order.
type Event struct {
	Customer string
	Steps    int
}

// Order is one, as it was read.
type Order struct {
	ID       int
	Customer string
	Items    []*Item
	Labels   map[string]string
}

// Item is a line of an order.
type Item struct {
	SKU   string
	Name  string
	Count int
	Tags  []string
}

// Step is something to do.
type Step struct {
	What  string
	Item  *Item
	Notes []string
}

// NewService returns one that has seen nothing.
func NewService() *Service { return &Service{seen: map[string]int{}} }

// Handle reads an order, and returns what it has to say.
func (s *Service) Handle(id int, text string) string {
	order := s.parse(id, text)
	steps := s.plan(order)
	s.remember(order, steps)
	return s.answer(order, steps)
}

func (s *Service) parse(id int, text string) *Order {
	order := &Order{ID: id, Labels: map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			order.Customer = string([]byte(line))
			continue
		}
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		item := &Item{SKU: words[0], Count: len(words)}
		item.Name = "item " + item.SKU + " of " + order.Customer
		for _, w := range words[1:] {
			item.Tags = append(item.Tags, w)
		}
		order.Labels[item.SKU] = item.Name
		order.Items = append(order.Items, item)
	}
	return order
}

func (s *Service) plan(order *Order) (steps []Step) {
	for _, item := range order.Items {
		for _, what := range []string{"reserve", "pack", "ship"} {
			step := Step{What: what, Item: item}
			step.Notes = append(step.Notes, item.Name)
			for _, tag := range item.Tags {
				step.Notes = append(step.Notes, tag)
			}
			steps = append(steps, step)
		}
	}
	return steps
}

func (s *Service) remember(order *Order, steps []Step) {
	for _, item := range order.Items {
		if order.ID%120 == 0 {
			s.names = append(s.names, item.Name)
		}
		s.seen[item.SKU]++
	}
	s.audit = append(s.audit, &Event{Customer: "x", Steps: len(steps)})
	if len(s.audit) > 1000 {
		s.audit = s.audit[500:]
	}
}

func (s *Service) answer(order *Order, steps []Step) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteString(step.What)
		b.WriteByte(' ')
		b.WriteString(step.Item.SKU)
		b.WriteString(strings.Join(step.Notes, ","))
	}
	return fmt.Sprintf("%d: %s", order.ID, b.String())
}
