// Package house holds the rules of this module's layout, which its tests check:
// which package may import which, what is exported, and what the engine may not
// know. It has no code.
package house
