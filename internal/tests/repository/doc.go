// Package repository holds the rules of this module's layout, which its tests check:
// which package may import which, what is exported, and what the engine must not
// depend on. It has no code.
package repository
