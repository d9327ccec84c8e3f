package dump

// A Root is a pointer that the GC begins with, other than in a variable or a frame.
type Root struct {
	Kind RootKind
	Name string  // the runtime's name of a Named root, else the goroutine; "" of a finalizer
	Code uintptr // of a Deferred call or a Finalizer: where the function's code is
	To   uintptr // where the pointer leads to
}

// A RootKind is what has the pointer.
type RootKind uint8

const (
	Named      RootKind = iota // what the runtime has a name for
	Closure                    // the function that a goroutine runs
	Deferred                   // a deferred call
	PanicValue                 // the value of a panic
	Finalizer                  // the function given to runtime.SetFinalizer, or an object that it is to be called with
)

// addRoot notes a root, unless it is nil.
func (d *Dump) addRoot(r Root) {
	if r.To != 0 {
		d.Roots = append(d.Roots, r)
	}
}

// finalizer reads a finalizer. Its object is a root only if the call is queued: else it is alive for
// other reasons.
func (d *Dump) finalizer(r *reader, queued bool) {
	object, closure, code := r.address(), r.address(), r.address()
	r.skip(2)
	d.addRoot(Root{Kind: Finalizer, Code: code, To: closure})
	if queued {
		d.addRoot(Root{Kind: Finalizer, Code: code, To: object})
	}
}
