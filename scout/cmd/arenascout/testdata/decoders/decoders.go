// Package decoders reads and writes JSON in its unit of work, and builds again what it could build once.
package decoders

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

type Order struct {
	Customer string `json:"customer"`
	Items    []Item `json:"items"`
	Notes    Notes  `json:"notes"`
}

type Item struct {
	Product string `json:"product"`
	Count   int    `json:"count"`
}

// Notes are read by a method, which is called while an order is read.
type Notes map[string]string

func (n *Notes) UnmarshalJSON(text []byte) error { return read(text, (*map[string]string)(n)) }

// A Service keeps what it was told.
type Service struct {
	last  map[string]int
	names []string
}

func New() *Service { return &Service{last: map[string]int{}} }

// Handle is the unit of work.
func (s *Service) Handle(text []byte) (string, error) {
	var o Order
	if err := read(text, &o); err != nil {
		return "", err
	}
	if !regexp.MustCompile(`^[a-z]+$`).MatchString(o.Customer) {
		return "", nil
	}
	total := 0
	for _, i := range o.Items {
		total += i.Count
	}
	s.last[strings.Clone(o.Customer)] = total
	answer, err := json.Marshal(&o)
	if err != nil {
		return "", err
	}
	var customer struct {
		Customer string `json:"customer"`
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&customer); err != nil {
		return "", err
	}
	return labels(customer.Customer), nil
}

// labels makes a map of functions that is equal each time.
func labels(name string) string {
	by := map[string]func(string) string{"upper": strings.ToUpper, "lower": strings.ToLower, "title": strings.ToTitle,
		"space": strings.TrimSpace, "same": func(s string) string { return s }, "a": strings.ToUpper, "b": strings.ToUpper,
		"c": strings.ToUpper, "d": strings.ToUpper, "e": strings.ToUpper}
	return by["same"](name)
}

// Keep keeps a string of each text: it must not be in an arena.
func (s *Service) Keep(text []byte) error {
	var o Order
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	if s.names = append(s.names, o.Customer); len(s.names) > 1000 {
		s.names = nil
	}
	return nil
}
