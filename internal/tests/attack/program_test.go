package attack

import (
	"fmt"
	"strconv"
	"strings"
)

// An rng is a small generator of random numbers, splitmix64.
type rng uint64

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// n returns a number from 0 to n-1.
func (r *rng) n(n int) int { return int(uint64(uint32(r.next())) * uint64(n) >> 32) }

// one says yes one time in n.
func (r *rng) one(n int) bool { return r.n(n) == 0 }

// size returns the size of something: often small, seldom large.
func (r *rng) size() int {
	switch n := r.n(64); {
	case n < 40:
		return r.n(24)
	case n < 58:
		return r.n(160)
	case n < 62:
		return r.n(2000)
	case n < 63:
		return r.n(9000)
	}
	return r.n(70000)
}

// An instruction is an operation and what all of its choices follow from. It means
// something in any world, so that a program without some of its instructions is one.
type instruction struct {
	op  uint16
	arg uint32
}

func (in instruction) String() string { return fmt.Sprintf("%s:%x", alphabet[in.op].name, in.arg) }

// A program is a world's options, as a number, and instructions.
type program struct {
	profile string
	seed    uint64
	ins     []instruction
}

func (p program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %x\n", p.profile, p.seed)
	for _, in := range p.ins {
		fmt.Fprintln(&b, in)
	}
	return b.String()
}

// parse is the opposite of String.
func parse(text string) (p program, err error) {
	lines := strings.Fields(text)
	if len(lines) < 2 {
		return p, fmt.Errorf("no program: %q", text)
	}
	p.profile = lines[0]
	if p.seed, err = strconv.ParseUint(lines[1], 16, 64); err != nil {
		return p, err
	}
	for _, line := range lines[2:] {
		name, arg, _ := strings.Cut(line, ":")
		n, err := strconv.ParseUint(arg, 16, 32)
		i, ok := letters[name]
		if err != nil || !ok {
			return p, fmt.Errorf("no instruction: %q", line)
		}
		p.ins = append(p.ins, instruction{i, uint32(n)})
	}
	return p, nil
}

// A script generates instructions: by weight, all of them from a seed.
type script struct{ rng }

func (s *script) instruction() instruction {
	x := s.next()
	return instruction{byWeight[uint32(x>>32)%uint32(len(byWeight))], uint32(x)}
}

// shorter returns a shorter program that fails for the same reason, as far as
// fails, which runs one, has patience.
func shorter(ins []instruction, fails func([]instruction) (failed, again bool)) []instruction {
	for size := len(ins) / 2; size > 0; {
		removed := false
		for at := 0; at+size <= len(ins); {
			candidate := append(append([]instruction(nil), ins[:at]...), ins[at+size:]...)
			failed, again := fails(candidate)
			if failed {
				ins, removed = candidate, true
			} else {
				at += size
			}
			if !again {
				return ins
			}
		}
		if !removed || size > len(ins)/2 {
			size /= 2
		}
	}
	return ins
}
