// Package repository tests the rules of this repository: which package may import which,
// what is exported, how large files may be, and how text is written. It has only tests.
package repository
