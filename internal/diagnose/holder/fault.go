package holder

import (
	"errors"
	"fmt"
)

// A panicked is the value of a panic that isn't over.
type panicked struct {
	goroutine *goroutine
	typ       uintptr // of the value
	value     uintptr // where it is
}

// FaultAddress returns the address whose use has made the calling goroutine panic, which the value of that
// panic says: nobody but a function that was deferred by what has panicked gets it from recover. It returns 0 if the
// panic isn't about one, as that is only with debug.SetPanicOnFault.
func FaultAddress() (uintptr, error) {
	d, err := take(writeAsIs)
	if err != nil {
		return 0, err
	}
	exe, err := openExecutable()
	if err != nil {
		return 0, err
	}
	for _, p := range d.panics { // the innermost first
		if p.goroutine != nil && p.goroutine.dumping() {
			return d.faultAddress(p, exe)
		}
	}
	return 0, errors.New("the goroutine doesn't panic")
}

// faultAddress reads a value of type runtime.errorAddressString, a string and the address.
func (d *dump) faultAddress(p panicked, exe *executable) (uintptr, error) {
	t := exe.typeAt(p.typ)
	if t == nil {
		return 0, fmt.Errorf("a panic with a value of no known type, at %#x", p.typ)
	}
	i := d.objects.find(p.value)
	if t.String() != "runtime.errorAddressString" || t.Size() != 3*d.wordSize || i < 0 {
		return 0, nil
	}
	return d.word(d.contents(i), p.value-d.objects.addrs[i]+2*d.wordSize), nil
}
