package trees

import limpo1989 "github.com/limpo1989/arena"

// limpoForest makes a new arena for each tree, because none can be used after
// its Reset: the next allocation looks at a chunk that isn't there any more. The
// chunks are used again all the same, through the arena's interface for that.
type limpoForest struct {
	a      *limpo1989.Arena
	chunks *chunks
}

func onLimpo1989(int) forest {
	f := &limpoForest{chunks: new(chunks)}
	f.drop(nil)
	return f
}

func (f *limpoForest) drop(*Node) {
	f.chunks.used = 0
	f.a = limpo1989.NewArena(limpo1989.WithChunkSize(limpoChunk), limpo1989.WithMemory(f.chunks))
}

func (f *limpoForest) tree(depth int) *Node { return limpoTree(f.a, depth) }

func limpoTree(a *limpo1989.Arena, depth int) *Node {
	n := limpo1989.New[Node](a)
	*n = Node{} // a chunk that is used again is dirty
	if depth > 0 {
		n.left = limpoTree(a, depth-1)
		n.right = limpoTree(a, depth-1)
	}
	return n
}

// limpoChunk is the size of the chunks. With the 1 KiB that they have by default
// deep trees take a fifth longer.
const limpoChunk = 256 << 10

// chunks is the memory of arenas that are used one at a time.
type chunks struct {
	all  [][]byte
	used int
}

// Alloc returns a chunk; all are of one size, as all nodes are small.
func (c *chunks) Alloc(size uintptr) []byte {
	if c.used == len(c.all) {
		c.all = append(c.all, make([]byte, size))
	}
	c.used++
	return c.all[c.used-1]
}

// Free does nothing: drop takes all chunks back.
func (c *chunks) Free([]byte) {}
