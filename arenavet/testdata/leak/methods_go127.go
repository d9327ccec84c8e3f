//go:build go1.27

package leak

func method() {
	a := pool.Get() // want `the arena from Pool.Get is never put back`
	a.New[int]()
	a.MakeSlice[int](1, 1)
}

func OKMethod() {
	a := pool.Get()
	defer pool.Put(a)
	a.New[int]()
}
