package attack

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/harena-go/arena/arenatest" // which finds the holders of escaped values
)

func TestMain(m *testing.M) {
	spell()
	os.Exit(m.Run())
}

// A profile is a kind of world.
type profile struct {
	name        string
	checked     int  // one arena in this number is a checked one; 0 for none
	noScan      bool // all arenas are self-contained
	lasts       bool // no Pool reuses memory, and every value is kept
	torture     bool // the GC runs all the time
	tidy        bool // nothing points to dead values, not even where nobody looks
	verifyEvery int  // steps between looks at everything
	most        int  // bytes in an arena
	gc, judges  int  // of 1000 of those instructions, how many run the GC, or FindEscapes
	steps       int  // of a world in the short test
}

var profiles = []*profile{
	{name: "plain", verifyEvery: 1000, most: 1 << 20, steps: 60000},
	{name: "small", verifyEvery: 20, most: 20000, steps: 10000},
	{name: "lasting", lasts: true, verifyEvery: 400, most: 30000, steps: 10000},
	{name: "lasting-torture", lasts: true, torture: true, verifyEvery: 400, most: 10000, steps: 2000},
	{name: "checked", checked: 2, tidy: true, verifyEvery: 300, most: 100000, gc: 20, judges: 10, steps: 4000},
	{name: "torture", noScan: true, torture: true, verifyEvery: 200, most: 200000, steps: 6000},
	{name: "checked-torture", noScan: true, checked: 1, torture: true, tidy: true, verifyEvery: 200, most: 100000, steps: 2000},
}

func profileOf(name string) *profile {
	for _, p := range profiles {
		if p.name == name {
			q := *p
			return &q
		}
	}
	return nil
}

func newWorld(p *profile, seed uint64) *world {
	w := &world{profile: p, options: rng(seed)}
	w.heap = &actor{w: w, name: "nil", opts: settings{retained: -1}}
	return w
}

// run performs a program to the end of the world, and returns the failure and its step.
func (w *world) run(next func(step int) (instruction, bool)) (text string) {
	if text := w.perform(next); text != "" {
		return text
	}
	return w.guarded(w.endWorld)
}

// perform performs instructions, and returns the failure.
func (w *world) perform(next func(step int) (instruction, bool)) (text string) {
	return w.guarded(func() {
		for step := 0; ; step++ {
			in, ok := next(step)
			if !ok {
				return
			}
			w.do(in)
		}
	})
}

// guarded returns the failure in f.
func (w *world) guarded(f func()) (text string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if w.profile.torture {
		defer torture()()
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			text = v.text
		default:
			text = fmt.Sprintf("%s: panic: %v\n%s", w.now, v, debug.Stack())
		}
	}()
	f()
	return ""
}

// torture runs the GC until its result is called.
func torture() (stop func()) {
	var done atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		for !done.Load() {
			runtime.GC()
		}
	})
	return func() {
		done.Store(true)
		wait.Wait()
	}
}

// runScript runs a world of steps steps. If it fails it returns a program.
func runScript(p *profile, seed uint64, steps int, count *atomic.Int64) (program, string) {
	w := newWorld(p, seed)
	s := script{rng: rng(mix(seed))}
	text := w.run(func(step int) (instruction, bool) {
		if count != nil && step%1024 == 1023 {
			count.Add(1024)
		}
		return s.instruction(), step < steps
	})
	if text == "" {
		return program{}, ""
	}
	again := script{rng: rng(mix(seed))}
	bad := program{profile: p.name, seed: seed}
	for range w.step {
		bad.ins = append(bad.ins, again.instruction())
	}
	return bad, text
}

// replay runs a program.
func replay(p program) string {
	return newWorld(profileOf(p.profile), p.seed).run(func(step int) (in instruction, ok bool) {
		if step < len(p.ins) {
			return p.ins[step], true
		}
		return in, false
	})
}

// reproducer returns the failure with a short program that has it.
func reproducer(p program, text string, patience time.Duration) string {
	end := time.Now().Add(patience)
	want := class(text)
	last := text
	fails := func(ins []instruction) (bool, bool) {
		got := replay(program{p.profile, p.seed, ins})
		same := got != "" && class(got) == want
		if same {
			last = got
		}
		return same, time.Now().Before(end)
	}
	n := len(p.ins)
	if same, _ := fails(p.ins); same {
		p.ins = shorter(p.ins, fails)
	}
	return fmt.Sprintf("%s\n\nfirst seen as: %s\nprogram of %d instructions, shortened from %d:\n%s", last, text, len(p.ins), n, p)
}

func report(t testing.TB, p program, text string, patience time.Duration) {
	t.Helper()
	if os.Getenv("HARENA_ATTACK_FIRST") != "" { // enough for who takes a fix back
		fmt.Fprintf(os.Stderr, "%s\n%s %x, %d steps\n", text, p.profile, p.seed, len(p.ins))
		os.Exit(1)
	}
	full := reproducer(p, text, patience)
	if len(p.ins) > 0 && len(full) > 6000 {
		if dir := os.Getenv("HARENA_ATTACK_OUT"); dir != "" {
			f, err := os.CreateTemp(dir, p.profile+"-*.txt")
			if err == nil {
				fmt.Fprintln(f, full)
				f.Close()
			}
		}
		full = full[:6000] + "\n..."
	}
	t.Error(full)
}

// TestAttack runs a world of each kind, or HARENA_ATTACK operations.
func TestAttack(t *testing.T) {
	if file := os.Getenv("HARENA_ATTACK_REPLAY"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if text := replay(p); text != "" {
			report(t, p, text, time.Minute)
		}
		return
	}
	if n, err := strconv.Atoi(os.Getenv("HARENA_ATTACK")); err == nil {
		attackLong(t, n)
		return
	}
	for i, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			p := profileOf(p.name)
			steps := p.steps
			if testing.Short() {
				steps /= 5
			}
			begin := time.Now()
			for life := range 4 { // a long one, and short ones
				steps := steps / (1 + life*life*5)
				if bad, text := runScript(p, uint64(10*i+life+1), steps, nil); text != "" {
					report(t, bad, text, 20*time.Second)
					return
				}
			}
			t.Logf("%v", time.Since(begin))
		})
	}
}

// attackLong runs total operations in worlds of all kinds.
func attackLong(t *testing.T, total int) {
	var count atomic.Int64
	begin := time.Now()
	seed0 := uint64(begin.UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("HARENA_ATTACK_SEED"), 10, 64); err == nil {
		seed0 = s
	}
	only := os.Getenv("HARENA_ATTACK_PROFILE")
	var failed sync.Map
	var wait sync.WaitGroup
	var next atomic.Uint64
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Second):
				n := count.Load()
				fmt.Fprintf(os.Stderr, "%d operations, %.0f a second\n", n, float64(n)/time.Since(begin).Seconds())
			}
		}
	}()
	for range workers() {
		wait.Go(func() {
			for count.Load() < int64(total) {
				n := next.Add(1)
				r := rng(seed0 + n)
				p := profileOf(profiles[r.n(len(profiles))].name)
				if only != "" {
					p = profileOf(only)
				}
				steps := p.steps / (1 + r.n(20))
				if r.one(8) {
					steps = p.steps * 16
				}
				fmt.Fprintf(os.Stderr, "world %s %d %d\n", p.name, seed0+n, steps)
				bad, text := runScript(p, seed0+n, steps, &count)
				if text == "" {
					continue
				}
				if _, twice := failed.LoadOrStore(class(text), true); !twice {
					report(t, bad, text, 20*time.Second)
					t.Logf("seed %d, %d steps", seed0+n, steps)
				}
			}
		})
	}
	wait.Wait()
	close(stop)
	n := count.Load()
	t.Logf("%d operations in %v, %.0f a second", n, time.Since(begin), float64(n)/time.Since(begin).Seconds())
}

// FuzzAttack runs programs of four bytes an instruction.
func FuzzAttack(f *testing.F) {
	for i := range profiles {
		s := script{rng: rng(i)}
		var b []byte
		for range 200 {
			in := s.instruction()
			b = append(b, byte(in.op))
			b = binary.LittleEndian.AppendUint32(b, in.arg)[:len(b)+3]
		}
		f.Add(byte(i), b)
	}
	f.Fuzz(func(t *testing.T, kind byte, b []byte) {
		p := profileOf(profiles[int(kind)%len(profiles)].name)
		p.torture = false
		bad := program{profile: p.name, seed: 1}
		for ; len(b) >= 4 && len(bad.ins) < 1000; b = b[4:] {
			in := instruction{uint16(b[0]) % uint16(len(alphabet)), binary.LittleEndian.Uint32(b) >> 8}
			bad.ins = append(bad.ins, in)
		}
		if text := replay(bad); text != "" {
			report(t, bad, text, 10*time.Second)
		}
	})
}

// workers is how many worlds there are at a time.
func workers() int {
	if n, err := strconv.Atoi(os.Getenv("HARENA_ATTACK_WORKERS")); err == nil {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
