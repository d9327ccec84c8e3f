package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/bench/suite"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// theme has the colours, as CSS variables: light or dark like the reader's browser.
//
//go:embed theme.css
var theme string

// colours are the variables that charts use.
var colours = []string{"ink", "soft", "line", "harena", "typed", "self", "heap", "pool", "runtime", "rust", "peer1",
	"peer2", "peer3", "peer4", "other"}

// ink returns a colour that svg replaces by the variable of that name: the library knows no variables.
func ink(name string) color.NRGBA {
	return color.NRGBA{B: uint8(8*slices.Index(colours, name) + 12), A: 255}
}

// A look is the style of a peer.
type look struct {
	Colour string
	glyph  draw.GlyphDrawer
	Sign   string // about the glyph, for legends
}

var (
	disc     = look{"other", draw.CircleGlyph{}, "●"}
	ring     = look{"other", draw.RingGlyph{}, "○"}
	box      = look{"other", draw.BoxGlyph{}, "■"}
	square   = look{"other", draw.SquareGlyph{}, "□"}
	pyramid  = look{"other", draw.PyramidGlyph{}, "▲"}
	triangle = look{"other", draw.TriangleGlyph{}, "△"}
	cross    = look{"other", draw.CrossGlyph{}, "✕"}
	plus     = look{"other", draw.PlusGlyph{}, "✛"}
)

func (l look) in(colour string) look {
	l.Colour = colour
	return l
}

// looks are the styles of the peers in all charts. This project's peers are solid.
var looks = map[string]look{
	suite.Heap:          square.in("heap"),
	suite.SyncPool:      ring.in("pool"),
	suite.Runtime:       triangle.in("runtime"),
	suite.Nuke:          ring.in("peer1"),
	suite.Pavanmanishd:  square.in("peer3"),
	suite.Goutil:        plus.in("peer2"),
	suite.Bumpalo:       ring.in("rust"),
	suite.Harena:        disc.in("harena"),
	suite.Typed:         pyramid.in("typed"),
	suite.SelfContained: box.in("self"),

	suite.StandardJSON:    square.in("heap"),
	suite.V2JSON:          triangle.in("heap"),
	suite.NewerJSON:       square.in("runtime"),
	suite.NewerV2JSON:     triangle.in("runtime"),
	suite.GoccyJSON:       ring.in("peer1"),
	suite.SonicJSON:       ring.in("pool"),
	suite.HarenaOnHeap:    disc.in("self"),
	suite.HarenaReference: pyramid.in("typed"),

	suite.Protobuf:        square.in("heap"),
	suite.Gogo:            ring.in("peer4"),
	suite.VTProto:         triangle.in("peer2"),
	suite.VTProtoPool:     ring.in("pool"),
	suite.Hyperpb:         triangle.in("peer3"),
	suite.HyperpbProfiled: square.in("peer3"),

	suite.Pgx:         square.in("heap"),
	suite.PgxScan:     triangle.in("heap"),
	suite.DatabaseSQL: cross.in("peer4"),
	suite.BytesAlone:  triangle.in("runtime"),
	suite.HarenaEach:  pyramid.in("typed"),
	suite.HarenaSQL:   box.in("self"),
}

// lookOf returns the style of a peer. Ways to use an arena in single suites look alike.
func lookOf(peer string) look {
	if l, ok := looks[peer]; ok {
		return l
	}
	if suite.Ours(peer) {
		return box.in("typed")
	}
	return cross
}

// style returns the style of a peer's marks; pale ones may be noise.
func (l look) style(pale bool) draw.GlyphStyle {
	c := ink(l.Colour)
	if pale {
		c.A = 100
	}
	return draw.GlyphStyle{Color: c, Radius: vg.Points(3.4), Shape: l.glyph}
}

// newPlot returns a plot in the colours of the theme.
func newPlot(title string) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.TextStyle.Color, p.Title.TextStyle.Font.Size = title, ink("ink"), 13
	p.Title.Padding = 4
	p.Legend.TextStyle.Color, p.Legend.TextStyle.Font.Size = ink("ink"), 10
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs = true, true, 6
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink("line"), ink("line")
		a.Label.TextStyle.Color, a.Label.TextStyle.Font.Size = ink("soft"), 10
		a.Tick.Label.Color, a.Tick.Label.Font.Size = ink("ink"), 10
	}
	return p
}

var (
	svgHead   = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	svgColour = regexp.MustCompile(`#0000[0-9A-F]{2}`)
)

// fontStyle is the library's own font, which has the widths of Arial.
const fontStyle = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal"

// svg draws a plot, with alt as its text alternative; style is inserted.
func svg(p *plot.Plot, width, height float64, alt, style string) string {
	c := vgsvg.New(vg.Length(width), vg.Length(height))
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	text := strings.ReplaceAll(b.String(), fontStyle, "font-family:Arial,sans-serif")
	text = svgColour.ReplaceAllStringFunc(text, func(marker string) string {
		n, err := strconv.ParseUint(marker[5:], 16, 8)
		if i := int(n-8) / 8; err == nil && i < len(colours) {
			return "var(--" + colours[i] + ")"
		}
		return marker
	})
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="%s" viewBox="0 0 %g %g">`,
		html.EscapeString(alt), width, height)
	if style != "" {
		head += "<style>" + style + "svg { background: var(--paper); }</style>"
	}
	return head + svgHead.ReplaceAllLiteralString(text, "")
}
