package markdown

// A Document is a text.
type Document struct{ Blocks []Block }

// A Block is one of the following.
type Block any

type (
	Heading struct {
		Level int
		ID    string
		raw   string
		Text  []Inline
	}
	Paragraph struct {
		raw   string
		Text  []Inline
		tight bool // in a tight list
	}
	Code struct {
		Language string
		Text     string
	}
	Quote struct{ Blocks []Block }
	List  struct {
		Ordered bool
		Start   int
		Tight   bool
		Items   []*Item
	}
	Item struct{ Blocks []Block }
	Rule struct{}
)

// An Inline is one of the following.
type Inline any

type (
	Text     struct{ Text string }
	Emphasis struct {
		Strong bool
		Of     []Inline
	}
	CodeSpan struct{ Text string }
	Link     struct {
		Dest, Title string
		Of          []Inline
	}
	Image struct {
		Dest, Title string
		Of          []Inline
	}
	Break struct{}
)
