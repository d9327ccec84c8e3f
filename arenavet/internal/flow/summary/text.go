package summary

import (
	"slices"
	"strconv"
	"strings"
)

// This file represents summaries as text, for the standard library's functions.

// Parse parses flows, separated by spaces:
//
//	#0*.Host=0      the target of the first result may have, in field Host, the first argument
//	#1*[]=0*.list   elements of the second result: field list in the first argument's target
//	0*[]+*[]=2      stores into the elements of the first argument, a map: slices
//	                with the third argument as an element
//	0*[in]-         cleared contents
func Parse(text string) *Summary {
	s := new(Summary)
	for term := range strings.FieldsSeq(text) {
		to, from, ok := strings.Cut(term, "=")
		if !ok {
			s.Clears = append(s.Clears, parseSym(strings.TrimSuffix(to, "-")))
			continue
		}
		x := Flow{From: parseSym(from)}
		if into, out, ok := strings.Cut(to, "+"); ok {
			x.Out = out
			s.Stores = append(s.Stores, Store{Into: parseSym(into), Flow: x})
		} else {
			x.Out = to
			s.Results = append(s.Results, x)
		}
	}
	return s
}

// parseSym parses a parameter's number and the path from there.
func parseSym(text string) Sym {
	n := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if n < 0 {
		n = len(text)
	}
	param, _ := strconv.Atoi(text[:n])
	return Sym{Param: param, Path: text[n:]}
}

// Text returns the text for Parse, "" if there is nothing to say. It leaves out arenas, globals and goroutines.
func (s *Summary) Text() string {
	var terms []string
	for _, x := range s.Results {
		if x.Kind == Same && x.From.Param >= 0 {
			terms = append(terms, x.Out+"="+x.From.text())
		}
	}
	for _, x := range s.Stores {
		if x.Flow.Kind == Same && x.Flow.From.Param >= 0 && x.Into.Param >= 0 {
			terms = append(terms, x.Into.text()+"+"+x.Flow.Out+"="+x.Flow.From.text())
		}
	}
	for _, x := range s.Clears {
		if x.Param >= 0 {
			terms = append(terms, x.text()+"-")
		}
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}

func (s Sym) text() string { return strconv.Itoa(s.Param) + s.Path }
