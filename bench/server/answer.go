package server

import "strconv"

// This file writes the answer: a Summary as a JSON object.

// answerSize returns how much room an answer takes at most.
func answerSize(s *Summary) int {
	const number = 20 // digits of the largest, and its sign
	n := 200 + (10+levels)*number
	for _, groups := range [...][]*Group{s.Services, s.Routes, s.Regions} {
		for _, g := range groups {
			n += 80 + (3+decades)*number + 6*(len(g.Name)+len(g.SlowestTrace))
		}
	}
	return n
}

// appendAnswer appends the answer to out, which has room for it.
func appendAnswer(out []byte, s *Summary) []byte {
	out = appendMember(out, `{"records":`, int64(s.Records))
	out = appendMember(out, `,"errors":`, int64(s.Errors))
	out = appendMember(out, `,"first":`, s.First)
	out = appendMember(out, `,"last":`, s.Last)
	for l, n := range s.Levels {
		out = append(out, `,"`...)
		out = append(out, levelNames[l]...)
		out = appendMember(out, `":`, int64(n))
	}
	out = appendMember(out, `,"samples":`, int64(s.Samples))
	out = appendMember(out, `,"sum":`, s.Sum)
	out = appendMember(out, `,"retries":`, int64(s.Retries))
	out = appendMember(out, `,"labels":`, int64(s.Labels))
	out = appendMember(out, `,"depth":`, int64(s.Depth))
	out = appendGroups(out, `,"services":[`, s.Services, false)
	out = appendGroups(out, `,"routes":[`, s.Routes, true)
	out = appendGroups(out, `,"regions":[`, s.Regions, false)
	return append(out, "}\n"...)
}

func appendMember(out []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(out, name...), n, 10)
}

// appendGroups appends a list of groups, with what took long if that matters.
func appendGroups(out []byte, name string, groups []*Group, durations bool) []byte {
	out = append(out, name...)
	for i, g := range groups {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(append(out, `{"name":`...), g.Name)
		out = appendMember(out, `,"n":`, int64(g.Records))
		out = appendMember(out, `,"errors":`, int64(g.Errors))
		if durations {
			out = appendDurations(out, g)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

func appendDurations(out []byte, g *Group) []byte {
	out = appendMember(out, `,"slowest":`, g.Slowest)
	out = appendText(append(out, `,"trace":`...), g.SlowestTrace)
	before := `,"us":[`
	for _, n := range g.Durations {
		out = appendMember(out, before, int64(n))
		before = ","
	}
	return append(out, ']')
}

const hexDigits = "0123456789abcdef"

// appendText appends s in quotes.
func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = append(out, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}
