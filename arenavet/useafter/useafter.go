// Package useafter finds uses of memory that an arena has reclaimed.
package useafter

import (
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

const doc = `report uses of memory that an arena has reclaimed

Reset, Rewind and Pool.Put reuse memory at once: a value from before is then
overwritten by the next user of the arena, and writing to it destroys that one's
data. Also reported: allocating from an arena after Free or Put, which panics.

	name := a.AllocString(s)
	a.Reset()
	fmt.Println(name) // name is dead

Move the Reset behind the last use, or take the value out of the arena first,
with arena.Clone or arena.DeepClone.`

// Analyzer is the check.
var Analyzer = rules.Finds("useafter", doc, finding.UseAfter)
