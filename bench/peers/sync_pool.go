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
	pools := slices.Concat(syncPoolFixed(o), syncPoolSlices(o), syncPoolMixed(o))
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
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(sized(bytes.get(), length), i)
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

//go:noinline
func syncPoolMixed(o *Ops) []resetter {
	var (
		m8   reused[Mix8]
		m16  reused[Mix16]
		m24  reused[Mix24]
		m40  reused[Mix40]
		m48  reused[Mix48]
		m64  reused[Mix64]
		m80  reused[Mix80]
		m96  reused[Mix96]
		m128 reused[Mix128]
		m192 reused[Mix192]
		m256 reused[Mix256]
		m512 reused[Mix512]
	)
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(m8.zero(), i)
			m.add16(m16.zero(), i)
			m.add24(m24.zero(), i)
			m.add40(m40.zero(), i)
			m.add48(m48.zero(), i)
			m.add64(m64.zero(), i)
			m.add80(m80.zero(), i)
			m.add96(m96.zero(), i)
			m.add128(m128.zero(), i)
			m.add192(m192.zero(), i)
			m.add256(m256.zero(), i)
			m.add512(m512.zero(), i)
		}
		return m.last
	}
	return []resetter{&m8, &m16, &m24, &m40, &m48, &m64, &m80, &m96, &m128, &m192, &m256, &m512}
}
