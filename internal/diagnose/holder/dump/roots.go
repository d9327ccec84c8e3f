package dump

// A Root is a pointer from which the GC begins, outside of variables and frames.
type Root struct {
	Kind RootKind
	Name string  // the runtime's name of a Named root, else the goroutine; "" of a finalizer
	Code uintptr // of a Deferred call or a Finalizer: the address of the function's code
	To   uintptr // the pointer's target
}

// A RootKind is the kind of a pointer's holder.
type RootKind uint8

const (
	Named      RootKind = iota // a root that the runtime names
	Closure                    // the function that a goroutine runs
	Deferred                   // a deferred call
	PanicValue                 // the value of a panic
	Finalizer                  // the function given to runtime.SetFinalizer, or the object that it gets
)

// addRoot adds a root, unless it is nil.
func (d *Dump) addRoot(r Root) {
	if r.To != 0 {
		d.Roots = append(d.Roots, r)
	}
}

// finalizer reads a finalizer. Its object is a root only if the call is queued: otherwise it is alive for other
// reasons.
func (d *Dump) finalizer(r *reader, queued bool) {
	object, closure, code := r.address(), r.address(), r.address()
	r.skip(2)
	d.addRoot(Root{Kind: Finalizer, Code: code, To: closure})
	if queued {
		d.addRoot(Root{Kind: Finalizer, Code: code, To: object})
	}
}
