package peers

import "slices"

// newSyncPool takes objects out of pools, one for each type, and puts them back where others reset.
func newSyncPool() *Ops {
	o := &Ops{
		Remarks: map[string]string{
			"string": bytesCopied,
			"append": "slices keep the capacity they had grown to",
		},
	}
	pools := slices.Concat(syncPoolFixed(o), syncPoolSlices(o))
	o.Reset = func() {
		for _, r := range pools {
			r.putAll()
		}
	}
	return o
}

// A resetter puts back the objects taken out of one pool.
type resetter interface{ putAll() }

//go:noinline
func syncPoolFixed(o *Ops) []resetter {
	var (
		t8   reused[int64]
		t64  reused[Bytes64]
		node reused[Node]
		t1k  reused[Bytes1K]
	)
	o.New8 = func(n int) {
		for i := range n {
			Keep(t8.zero(), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(t64.zero(), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(node.zero(), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(t1k.zero(), i)
		}
	}
	return []resetter{&t8, &t64, &node, &t1k}
}

//go:noinline
func syncPoolSlices(o *Ops) []resetter {
	var (
		bytes reused[[]byte]
		ints  reused[[]int]
	)
	o.String = func(n int, s string) {
		for range n {
			b := bytes.get()
			*b = append((*b)[:0], s...)
			KeepCopy(*b)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(sized(ints.get(), length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			p := ints.get()
			s := (*p)[:0]
			for j := range length {
				s = append(s, j)
			}
			*p = s
			KeepInts(s, i)
		}
	}
	return []resetter{&bytes, &ints}
}
