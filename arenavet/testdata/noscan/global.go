package noscan

import "github.com/harena-go/arena"

// What is reached through package-level variables: SSA doesn't list their uses.

type config struct {
	name string
	node *node
}

type server struct {
	config *config
	list   []*config
	byName map[string]*config
}

var (
	running  *server
	servers  [3]*server
	incoming = make(chan *server)
)

func OKGlobalPointer(name string) {
	running.config.name = name + "x"
	running.config.node.name = name + "x"
	running.config.node.left.left = &node{}
	servers[1].config.node.left.left = &node{}
	(<-incoming).config.node.name = name + "x"
	running.list[0].node.name = name + "x"
	running.byName[name].node.name = name + "x"
	func() { running.config.node.left = &node{} }()
}

func intoArenaFromGlobal() {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = running.config.name
	n.left = running.config.node
	running.config.node.left = n
	n.kids = []*node{} // want `.* on the heap is stored in a self-contained arena`
}
