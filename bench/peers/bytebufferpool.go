package peers

import "github.com/valyala/bytebufferpool"

// newByteBufferPool has a buffer for each string and slice: it is a pool of
// buffers of bytes, so that it has nothing else.
func newByteBufferPool() *Ops {
	var (
		pool bytebufferpool.Pool
		out  []*bytebufferpool.ByteBuffer
	)
	return &Ops{
		String: func(n int, s string) {
			for range n {
				b := pool.Get()
				b.SetString(s)
				KeepCopy(b.B)
				out = append(out, b)
			}
		},
		Bytes: func(n, length int) {
			for i := range n {
				b := pool.Get()
				KeepBytes(sized(&b.B, length), i)
				out = append(out, b)
			}
		},
		Reset: func() {
			for _, b := range out {
				pool.Put(b)
			}
			out = out[:0]
		},
		Remarks: map[string]string{
			"string": "a buffer for each string",
			"slice":  "a buffer for each slice",
		},
	}
}
