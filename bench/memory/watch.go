package memory

import (
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A watch notes the resident memory every few milliseconds.
type watch struct {
	began time.Time
	quit  chan struct{}
	done  chan struct{}
	x, y  []float64 // seconds, bytes; to be looked at after stop
}

const interval = 20 * time.Millisecond

func startWatch() *watch {
	w := &watch{began: time.Now(), quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			w.note()
			select {
			case <-tick.C:
			case <-w.quit:
				w.note()
				return
			}
		}
	}()
	return w
}

func (w *watch) note() {
	w.x = append(w.x, time.Since(w.began).Seconds())
	w.y = append(w.y, float64(measure.RSS()))
}

func (w *watch) stop() {
	close(w.quit)
	<-w.done
}

// peak is the most that was seen from one time to another.
func (w *watch) peak(from, to time.Time) (most float64) {
	for i, x := range w.x {
		if at := w.began.Add(time.Duration(x * float64(time.Second))); !at.Before(from) && !at.After(to) {
			most = max(most, w.y[i])
		}
	}
	return most
}
