package chart

import (
	"fmt"
	"html"
	"strings"
)

// Standalone makes a file of its own of a chart: with a heading and a
// background, and with the style sheet inside.
func Standalone(svg, heading, caption string) string {
	open := strings.Index(svg, "viewBox=")
	var width, height float64
	if _, err := fmt.Sscanf(svg[open:], `viewBox="0 0 %g %g"`, &width, &height); err != nil {
		panic(fmt.Sprintf("chart: Standalone: this is no chart of this package: %.60q", svg))
	}
	const top, side = 46, 14
	w, h := width+2*side, height+top+10
	return fmt.Sprintf(`<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]s %[2]s"`+
		` width="%[1]s" height="%[2]s" role="img" aria-label="%[3]s">
<style>%[4]s</style>
<rect x="0.5" y="0.5" width="%[5]s" height="%[6]s" rx="8" class="card"/>
<text x="%[7]d" y="22" class="heading">%[3]s</text>
<text x="%[7]d" y="37" class="soft">%[8]s</text>
%[9]s
</svg>
`, num(w), num(h), html.EscapeString(heading), Theme, num(w-1), num(h-1), side, html.EscapeString(caption),
		fmt.Sprintf(`<svg x="%d" y="%d" width="%s" height="%s" `, side, top, num(width),
			num(height))+strings.TrimPrefix(svg, "<svg "))
}
