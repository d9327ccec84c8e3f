package watch

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// TestFramesOfStacks: a stack may be empty, or deeper than a Stack.
func TestFramesOfStacks(t *testing.T) {
	if frames := new(Stack).Frames(); frames != nil {
		t.Errorf("%v of no stack", frames)
	}
	var full Stack
	var deep func(depth int)
	deep = func(depth int) {
		if depth > 0 {
			deep(depth - 1)
			return
		}
		runtime.Callers(1, full[:])
	}
	deep(2 * len(full))
	if frames := full.Frames(); len(frames) != len(full) || CallSite(frames) == "" {
		t.Errorf("%d calls of %d", len(frames), len(full))
	}
}

// TestKindsOfSites: an allocation is described by the kind of the request.
func TestKindsOfSites(t *testing.T) {
	for want, s := range map[string]Site{
		"int":        {Elem: reflect.TypeFor[int](), What: One},
		"[]int":      {Elem: reflect.TypeFor[int](), What: Many},
		"string":     {What: Text},
		"raw memory": {What: Raw},
	} {
		if got := s.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestEndingsAreBounded: only the latest are remembered.
func TestEndingsAreBounded(t *testing.T) {
	var l endingList
	for i := range 10 * tuning.MaxEndings {
		l.push(ending{trap: uintptr(i)})
		n := len(l.list)
		if n > tuning.MaxEndings || i+1 >= tuning.MaxEndings && n <= tuning.MaxEndings/2 || i < tuning.MaxEndings && n != i+1 || l.list[n-1].trap != uintptr(i) {
			t.Fatalf("after %d endings %d are remembered, the last of them %d", i+1, n, l.list[n-1].trap)
		}
	}
}

// Trackers of tests are variables of the package, like a program's: the race detector doesn't see that one was made
// before it is woken.
var resting, finding, looking, alone, slept Tracker

// TestTrackerRests: when all is decided nothing wakes the tracker.
func TestTrackerRests(t *testing.T) {
	tracker := &resting
	tracker.Report = func(found []Finding) { t.Errorf("%d findings in nothing", len(found)) }
	tracker.Submit(&Batch{})
	tracker.FindAll()
	tracker.mu.Lock()
	defer tracker.mu.Unlock()
	if tracker.tick.Value() != nil || len(tracker.batches) != 0 {
		t.Errorf("the tracker waits for the next GC cycle with %d batches", len(tracker.batches))
	}
}

// TestTrackerOutlivesABubble: if a synctest bubble submits the first batch, the tracker isn't tied
// to the bubble. It works as usual afterwards.
func TestTrackerOutlivesABubble(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		found := make(chan Finding, 1)
		tracker := map[bool]*Tracker{false: &alone, true: &slept}[sleeps]
		tracker.Report = func(f []Finding) {
			for _, f := range f {
				found <- f
			}
		}
		synctest.Test(t, func(t *testing.T) {
			tracker.Submit(&Batch{})
			if sleeps {
				tracker.FindAll()
				time.Sleep(time.Hour)
			}
		})
		w := New(false)
		held := reclaim(w)
		tracker.Submit(w.Batch("outside", "", nil))
		for deadline := time.Now().Add(20 * time.Second); ; {
			runtime.GC()
			select {
			case f := <-found:
				if f.Name != "outside" {
					t.Errorf("found %+v", f)
				}
			case <-time.After(10 * time.Millisecond):
				if time.Now().Before(deadline) {
					continue
				}
				t.Errorf("sleeps: %t: what is held outside isn't found", sleeps)
			}
			break
		}
		runtime.KeepAlive(held)
	}
}

// TestTrackerFindsWhatLives, and nothing else.
func TestTrackerFindsWhatLives(t *testing.T) {
	var found []Finding
	tracker := &finding
	tracker.Report = func(f []Finding) { found = append(found, f...) }
	w := New(false)
	held := reclaim(w)
	tracker.Submit(w.Batch("a", "", nil))
	if b := w.Batch("a", "", nil); b != nil {
		t.Error("a batch of nothing")
	}
	tracker.FindAll()
	if addr, size := found[0].Extent(); len(found) != 1 || found[0].Name != "a" || addr != uintptr(unsafe.Pointer(held)) || size != 64 || found[0].Cycles < cyclesNeeded {
		t.Errorf("found %+v, want the one of 64 bytes at %p", found, held)
	}
	runtime.KeepAlive(held)
}

// TestReclaimedAtWhileLooking: the reclaiming arena is known at any time, in the handler of findings, too.
func TestReclaimedAtWhileLooking(t *testing.T) {
	w := New(true)
	w.Expect(new([8]uint64), One)
	held := new([8]uint64)
	chunk := memory.Chunk{Mem: unsafe.Pointer(held), Size: 64, Total: 64, Label: unsafe.Pointer(w.Site(64, 64))}
	w.Scribble([]memory.Chunk{chunk}, false)
	tracker, told := &looking, 0
	tracker.Report = func([]Finding) {
		told++
		if b, site := tracker.ReclaimedAt(uintptr(chunk.Mem), false); b == nil || b.Name != "a" || site != SiteOf(&chunk) {
			t.Errorf("%v, %v had what is held", b, site)
		}
	}
	tracker.Submit(w.Batch("a", "", nil))
	tracker.Peek(tracker.Report)
	if told != 1 {
		t.Errorf("%d reports", told)
	}
	runtime.KeepAlive(held)
	tracker.Report = func([]Finding) {}
	tracker.FindAll()
}

// reclaim reclaims ten blocks, and returns one of them.
//
//go:noinline
func reclaim(w *Watch) (held *[8]uint64) {
	var gone []memory.Chunk
	for range 10 {
		held = new([8]uint64)
		gone = append(gone, memory.Chunk{Mem: unsafe.Pointer(held), Size: 64, Total: 64})
	}
	w.Chunks(new(memory.Region), gone)
	return held
}

// TestCallSiteOfPanic: in a panic, deferred functions run on top of frames of the runtime, which aren't calls of the
// user's.
func TestCallSiteOfPanic(t *testing.T) {
	var s Stack
	func() {
		defer func() { recover() }()
		defer runtime.Callers(1, s[:])
		panic("on purpose")
	}()
	if frames := s.Frames(); !strings.HasPrefix(frames[0].Function, "runtime.gopanic") || !strings.Contains(CallSite(frames), "watch_test.go:") {
		t.Errorf("called at %s by %+v", CallSite(frames), frames)
	}
}

// TestStackOfCleanup: the stack ends with the function that the user gave to Cleanup.
func TestStackOfCleanup(t *testing.T) {
	var s Stack
	t.Run("test", func(t *testing.T) {
		t.Cleanup(func() { runtime.Callers(1, s[:]) })
	})
	frames := s.Frames()
	if len(frames) != 1 || !strings.Contains(frames[0].Function, "TestStackOfCleanup") {
		t.Errorf("got %v", frames)
	}
}

// TestWhen: reports about a reclaiming call, and about the stack, name the user's code.
func TestWhen(t *testing.T) {
	const module = "github.com/harena-go/arena"
	put := runtime.Frame{Function: module + ".(*Pool).Put", File: ownFolder + "pool.go", Line: 1}
	reset := runtime.Frame{Function: module + ".(*Arena).Reset", File: ownFolder + "lifetime.go", Line: 2}
	loan := runtime.Frame{Function: module + "/arenahttp.(*loan).end", File: ownFolder + "arenahttp/loan.go", Line: 3}
	end := runtime.Frame{Function: module + "/arenatest.New.func1", File: ownFolder + "arenatest/arenatest.go", Line: 4}
	stream := runtime.Frame{Function: module + "/contrib/x.(*stream).Receive", File: "/elsewhere/x.go", Line: 5}
	mux := runtime.Frame{Function: "net/http.(*ServeMux).ServeHTTP", File: goroot + "net/http/server.go", Line: 6}
	main := runtime.Frame{Function: "shop.main", File: "/shop/main.go", Line: 7}
	example := runtime.Frame{Function: module + "/examples/shop.main", File: ownFolder + "examples/shop/main.go", Line: 8}
	for _, c := range []struct {
		key, when, stack string
		frames           []runtime.Frame
	}{
		{"GET /", "when GET / ended", "\n  shop.main()\n      /shop/main.go:7", []runtime.Frame{put, loan, mux, main}},
		{"", "when the request ended", "", []runtime.Frame{put, loan, mux, main}},
		{"GET /", "at /shop/main.go:7", "\n  " + put.Function + "()\n  shop.main()", []runtime.Frame{put, mux, main}},
		{"", "when the test ended", "", []runtime.Frame{reset, end}},
		{"", "at /shop/main.go:7", "\n  " + stream.Function + "()\n  shop.main()", []runtime.Frame{reset, stream, main, mux}},
		{"", "at " + example.File + ":8", "\n  " + reset.Function + "()\n  " + example.Function, []runtime.Frame{reset, example}},
	} {
		if got := When(c.frames, c.key); got != c.when {
			t.Errorf("%s, want %s", got, c.when)
		}
		stack := StackText(c.frames)
		if !strings.Contains(stack, c.stack) || user(c.frames) >= 0 && (strings.Contains(stack, "loan.go") || strings.Contains(stack, "net/http")) {
			t.Errorf("%s: the stack is%s", c.when, stack)
		}
	}
}
